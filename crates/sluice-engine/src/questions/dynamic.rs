//! The props that a component declares only when it knows values of others.

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_model::{
    DynamicPropsId, PropDef, PropError, PropErrorCode, RawProp, UserId, check_dynamic_props, merged,
};
use sluice_runtime::{Failure, Question};
use sluice_store::dynamic_props::{self, DynamicProps};

use super::{Asked, Draft};
use crate::{Engine, error::EngineError, observations};

/// All props of a component for some values. With errors there are none.
#[derive(Debug, Default)]
pub struct DeclaredProps {
    /// Under which they can be referred to, and all of them in order.
    pub props: Option<(DynamicPropsId, Vec<PropDef>)>,
    /// Each is JSON text.
    pub errors: Vec<String>,
    pub observations: Vec<Value>,
}

/// What `additionalProps` declared, beyond the props that the component declares itself.
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

/// What came of asking, and what was said on the way.
struct Told {
    result: Result<Declared, Refusal>,
    observations: Vec<Value>,
}

enum Refusal {
    Failed(Failure),
    Invalid(Vec<PropError>),
}

impl Engine {
    /// Runs `additionalProps`, and keeps what it declares for the source that will be made with it.
    pub async fn dynamic_props(
        &self,
        user: &UserId,
        draft: Draft,
    ) -> Result<DeclaredProps, EngineError> {
        let found = self.find_draft(user, draft).await?;
        if !found.component.shape.has_additional_props {
            return Err(EngineError::Invalid(
                "the component has no additionalProps".to_owned(),
            ));
        }
        let Told {
            result,
            mut observations,
        } = self.declare(&found.asked(user)).await?;
        match result {
            Ok(Declared { props, warnings }) => {
                let ts = self.context.clock.now_ms();
                observations.extend(warnings.iter().map(
                    |warning| json!({ "ts": ts, "k": "warning", "level": "warn", "msg": warning }),
                ));
                let all = merged(&found.component.shape.props, &props);
                let kept = DynamicProps {
                    id: DynamicPropsId::random(&mut rand::rng()),
                    user_id: user.clone(),
                    component_id: found.component.id,
                    props,
                    created_at: ts,
                };
                let id = kept.id.clone();
                self.context
                    .store
                    .write(move |c| dynamic_props::insert(c, &kept))
                    .await?;
                Ok(DeclaredProps {
                    props: Some((id, all)),
                    observations,
                    ..DeclaredProps::default()
                })
            }
            Err(Refusal::Failed(failure)) => Ok(DeclaredProps {
                errors: vec![observations::described(&failure).to_string()],
                observations,
                ..DeclaredProps::default()
            }),
            Err(Refusal::Invalid(errors)) => Ok(DeclaredProps {
                errors: errors.iter().map(described).collect(),
                observations,
                ..DeclaredProps::default()
            }),
        }
    }

    /// The dynamic props of a source that is made or changed: those that were declared before under an id, or else those
    /// that `additionalProps` declares now.
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
        let Told {
            result,
            observations,
        } = self.declare(asked).await?;
        result.map_err(|refusal| match refusal {
            Refusal::Failed(_) => {
                let mut all = vec![json!({ "k": "hook", "h": "additionalProps" })];
                all.extend(observations);
                EngineError::HookFailed { observations: all }
            }
            Refusal::Invalid(errors) => EngineError::InvalidProps(errors),
        })
    }

    async fn declare(&self, asked: &Asked<'_>) -> Result<Told, EngineError> {
        let argument = json!({ "previous": asked.dynamic });
        let answer = self
            .ask(asked, Question::AdditionalProps, &argument)
            .await?;
        let mut observations: Vec<Value> = observations::lines(&answer.logs).collect();
        let result = match answer.result {
            Ok(json) => read_report(json.get()),
            Err(failure) => {
                observations.push(observations::error(&failure));
                Err(Refusal::Failed(failure))
            }
        };
        Ok(Told {
            result,
            observations,
        })
    }
}

fn read_report(json: &str) -> Result<Declared, Refusal> {
    let Report { props, warnings } = serde_json::from_str(json).map_err(|error| {
        let reason = format!("what it declares cannot be read: {error}");
        let code = PropErrorCode::InvalidDeclaration;
        Refusal::Invalid(vec![PropError::new("", code, reason)])
    })?;
    let props = check_dynamic_props(props.unwrap_or_default()).map_err(Refusal::Invalid)?;
    Ok(Declared { props, warnings })
}

/// The JSON text of an error in what `additionalProps` declares.
fn described(error: &PropError) -> String {
    let PropError { prop, code, .. } = error;
    let message = error.to_string();
    json!({ "name": "InvalidProps", "message": message, "prop": prop, "code": code }).to_string()
}
