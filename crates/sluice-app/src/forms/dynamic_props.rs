//! Dynamic props: those that a component declares depending on the values of others.

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_engine::{EngineError, owner::observations};
use sluice_model::{
    DynamicPropsId, PropDef, PropError, PropErrorCode, RawProp, UserId, check_dynamic_props, merged,
};
use sluice_runtime::{Failure, Question};
use sluice_store::dynamic_props::{self, DynamicProps};

use super::{
    ask::Forms,
    draft::{Asked, Draft},
};

/// All props of a component for some values. With errors there are none.
#[derive(Debug, Default)]
pub struct DeclaredProps {
    /// All props in order, and the id to refer to them.
    pub props: Option<(DynamicPropsId, Vec<PropDef>)>,
    /// Each is JSON text.
    pub errors: Vec<String>,
    pub observations: Vec<Value>,
}

/// The result of `additionalProps`, without the static props.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) props: Vec<PropDef>,
    pub(crate) warnings: Vec<String>,
}

/// The harness's report.
#[derive(Deserialize)]
struct Report {
    props: Option<Vec<RawProp>>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// The outcome of a call of `additionalProps`.
struct CallOutcome {
    result: Result<Declared, DeclareError>,
    observations: Vec<Value>,
}

enum DeclareError {
    /// The method threw.
    Failed(Failure),
    /// Its result is invalid.
    Invalid(Vec<PropError>),
}

impl Forms {
    /// Calls `additionalProps` and stores the result for the source that will be created with it.
    pub async fn dynamic_props(
        &self,
        user: &UserId,
        draft: Draft,
    ) -> Result<DeclaredProps, EngineError> {
        let found = self.load(user, draft).await?;
        if !found.component.shape.has_additional_props {
            return Err(EngineError::Invalid(
                "the component has no additionalProps".to_owned(),
            ));
        }
        let CallOutcome {
            result,
            mut observations,
        } = self.declare(&found.asked(user)).await?;
        match result {
            Ok(Declared { props, warnings }) => {
                let ts = self.infra.now_ms();
                observations.extend(warnings.iter().map(
                    |warning| json!({ "ts": ts, "k": "warning", "level": "warn", "msg": warning }),
                ));
                let all = merged(&found.component.shape.props, &props);
                let kept = DynamicProps {
                    id: DynamicPropsId::random(&mut self.infra.ids.rng()),
                    user_id: user.clone(),
                    component_id: found.component.id,
                    props,
                    created_at: ts,
                };
                let id = kept.id.clone();
                self.infra
                    .store
                    .write(move |c| dynamic_props::insert(c, &kept))
                    .await?;
                Ok(DeclaredProps {
                    props: Some((id, all)),
                    observations,
                    ..DeclaredProps::default()
                })
            }
            Err(DeclareError::Failed(failure)) => Ok(DeclaredProps {
                errors: vec![observations::described(&failure).to_string()],
                observations,
                ..DeclaredProps::default()
            }),
            Err(DeclareError::Invalid(errors)) => Ok(DeclaredProps {
                errors: errors.iter().map(described).collect(),
                observations,
                ..DeclaredProps::default()
            }),
        }
    }

    /// The dynamic props of a source that is created or changed: an earlier result with this id, or else the result of
    /// `additionalProps` now.
    pub(crate) async fn declared_props(
        &self,
        asked: &Asked<'_>,
        declared_before: Option<String>,
    ) -> Result<Declared, EngineError> {
        if !asked.component.shape.has_additional_props {
            return Ok(Declared::default());
        }
        if let Some(id) = declared_before {
            let props = self.snapshot(asked.user, asked.component, &id).await?;
            return Ok(Declared {
                props,
                ..Declared::default()
            });
        }
        let CallOutcome {
            result,
            observations,
        } = self.declare(asked).await?;
        result.map_err(|error| match error {
            DeclareError::Failed(_) => {
                let mut all = vec![json!({ "k": "hook", "h": "additionalProps" })];
                all.extend(observations);
                EngineError::HookFailed { observations: all }
            }
            DeclareError::Invalid(errors) => EngineError::InvalidProps(errors),
        })
    }

    async fn declare(&self, asked: &Asked<'_>) -> Result<CallOutcome, EngineError> {
        let argument = json!({ "previous": asked.dynamic });
        let answer = self
            .ask(asked, Question::AdditionalProps, &argument)
            .await?;
        let mut observations: Vec<Value> = observations::lines(&answer.logs).collect();
        let result = match answer.result {
            Ok(json) => read_report(json.get()),
            Err(failure) => {
                observations.push(observations::error(&failure));
                Err(DeclareError::Failed(failure))
            }
        };
        Ok(CallOutcome {
            result,
            observations,
        })
    }
}

fn read_report(json: &str) -> Result<Declared, DeclareError> {
    let Report { props, warnings } = serde_json::from_str(json).map_err(|error| {
        let reason = format!("the declared props cannot be read: {error}");
        let code = PropErrorCode::InvalidDeclaration;
        DeclareError::Invalid(vec![PropError::new("", code, reason)])
    })?;
    let props = check_dynamic_props(props.unwrap_or_default()).map_err(DeclareError::Invalid)?;
    Ok(Declared { props, warnings })
}

/// The JSON text of an error in what `additionalProps` declares.
fn described(error: &PropError) -> String {
    let PropError { prop, code, .. } = error;
    let message = error.to_string();
    json!({ "name": "InvalidProps", "message": message, "prop": prop, "code": code }).to_string()
}
