//! What a form asks of a component while somebody fills it in: the options of a prop, and the props that depend on the
//! values so far. Each question runs the component's code in a process of its own, with the values bound as for `run`.

mod dynamic;
mod options;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Map, Value};
use sluice_infra::MS_PER_DAY;
use sluice_model::{
    DynamicPropsId, PropDef, SourceId, UserId, carried_over, label_value, merged, provisional,
};
use sluice_runtime::{
    BindingKind, Failure, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, PropBinding, Question,
    QuestionOutcome,
};
use sluice_store::{
    components::{self, Component},
    dynamic_props,
    sources::Source,
    usage::{self, Usage},
};

pub use dynamic::DeclaredProps;
pub use options::{Choice, OptionsAnswer, OptionsQuestion};

use crate::{
    Engine,
    error::EngineError,
    secrets::Opened,
    source::{self, packages_of},
};

/// A component and the values that somebody is choosing for it.
pub struct Draft {
    /// Its id or its key.
    pub component: String,
    pub configured_props: Map<String, Value>,
    /// What `additionalProps` declared last.
    pub dynamic_props_id: Option<String>,
    /// The source whose values are being changed; it supplies secrets that are sent back masked.
    pub source_id: Option<String>,
}

/// A draft with everything that it names.
struct Found {
    component: Component,
    dynamic: Vec<PropDef>,
    source: Option<(SourceId, Map<String, Value>)>,
    given: Map<String, Value>,
}

/// A component, and the values it is asked with.
pub(crate) struct Asked<'a> {
    pub(crate) user: &'a UserId,
    pub(crate) component: &'a Component,
    /// What its `additionalProps` declared before.
    pub(crate) dynamic: &'a [PropDef],
    pub(crate) given: &'a Map<String, Value>,
    pub(crate) previous: Option<Previous<'a>>,
}

/// The source that is being changed, and its values in clear.
#[derive(Clone, Copy)]
pub(crate) struct Previous<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) values: &'a Map<String, Value>,
}

/// The given values that are checked. Those of dynamic props that are no longer declared are left out; without such props,
/// a value of no prop is a mistake.
pub(crate) fn given_for(
    component: &Component,
    props: &[PropDef],
    given: Map<String, Value>,
) -> Map<String, Value> {
    if component.shape.has_additional_props {
        carried_over(props, &given)
    } else {
        given
    }
}

impl Found {
    fn asked<'a>(&'a self, user: &'a UserId) -> Asked<'a> {
        Asked {
            user,
            component: &self.component,
            dynamic: &self.dynamic,
            given: &self.given,
            previous: self
                .source
                .as_ref()
                .map(|(source, values)| Previous { source, values }),
        }
    }
}

impl Asked<'_> {
    fn props(&self) -> Vec<PropDef> {
        merged(&self.component.shape.props, self.dynamic)
    }
}

impl Engine {
    pub(crate) async fn component_of(&self, source: &Source) -> Result<Component, EngineError> {
        let id = source.component_id.clone();
        self.context
            .infra
            .store
            .read(move |c| components::get_for_run(c, &id))
            .await?
            .ok_or(EngineError::NotFound("component"))
    }

    /// Everything that a draft names, for a user who may run something today.
    async fn find_draft(&self, user: &UserId, draft: Draft) -> Result<Found, EngineError> {
        let context = &self.context;
        let now = context.infra.clock.now_ms();
        context
            .quotas
            .check(&context.infra.store, user, now)
            .await?;
        let Draft {
            component,
            configured_props: given,
            dynamic_props_id,
            source_id,
        } = draft;
        let source = match source_id {
            Some(id) => {
                let id = SourceId::parse(&id).ok_or(EngineError::NotFound("source"))?;
                Some(self.source_row(user, &id).await?)
            }
            None => None,
        };
        // A source may run what is published no longer.
        let component = match &source {
            Some(source) if source.component_id.as_str() == component => {
                self.component_of(source).await?
            }
            _ => self
                .find_component(user, &component)
                .await?
                .ok_or(EngineError::NotFound("component"))?,
        };
        let dynamic = match (dynamic_props_id, &source) {
            (Some(id), _) => self.snapshot(user, &component, &id).await?,
            (None, Some(source)) if source.component_id == component.id => {
                source.dynamic_props.clone()
            }
            (None, _) => Vec::new(),
        };
        let source = match source {
            Some(source) => Some(self.opened(source).await?),
            None => None,
        };
        Ok(Found {
            component,
            dynamic,
            source,
            given,
        })
    }

    /// The values of a source in clear, by the declarations under which they were stored.
    async fn opened(&self, source: Source) -> Result<(SourceId, Map<String, Value>), EngineError> {
        let component = self.component_of(&source).await?;
        let props = merged(&component.shape.props, &source.dynamic_props);
        let opened = Opened::new(&self.context.infra.vault, &props, &source.configured_props);
        Ok((source.id, opened.values))
    }

    /// What `additionalProps` of this component declared when it was asked before.
    async fn snapshot(
        &self,
        user: &UserId,
        component: &Component,
        id: &str,
    ) -> Result<Vec<PropDef>, EngineError> {
        let unknown = || EngineError::NotFound("dynamic props");
        let id = DynamicPropsId::parse(id).ok_or_else(unknown)?;
        let user = user.clone();
        let found = self
            .context
            .infra
            .store
            .read(move |c| dynamic_props::get(c, &user, &id))
            .await?
            .ok_or_else(unknown)?;
        if found.component_id != component.id {
            return Err(EngineError::Invalid(
                "dynamic_props_id belongs to another component".to_owned(),
            ));
        }
        Ok(found.props)
    }

    /// Asks a component. Its own failures are answers; an error is the server's.
    async fn ask(
        &self,
        asked: &Asked<'_>,
        question: Question,
        argument: &Value,
    ) -> Result<QuestionOutcome, EngineError> {
        if self.context.infra.shutdown.is_draining() {
            return Err(EngineError::shutting_down());
        }
        let component = asked.component;
        let code = component.built.as_ref().unwrap_or(&component.code);
        let spec = ProcessSpec {
            owner: asked.previous.map_or(ProcessOwner::Unowned, |previous| {
                ProcessOwner::Source(previous.source.clone())
            }),
            modules: vec![ModuleSpec {
                name: ModuleSpec::COMPONENT.to_owned(),
                code: Arc::from(code.as_str()),
                format: component.shape.format,
                packages: packages_of(component)?,
                props: self.bindings(asked).await?,
            }],
            env: BTreeMap::new(),
            stored: Vec::new(),
        };
        let timeout = self.context.infra.settings.invocation_timeout;
        let argument = Arc::from(argument.to_string());
        let answer = self.context.runtime.ask(&spec, question, argument, timeout);
        let answer = match answer.await {
            Err(LoadError::Code(faults)) => QuestionOutcome {
                result: Err(Failure {
                    name: "LoadError".to_owned(),
                    message: faults
                        .into_iter()
                        .next()
                        .map_or_else(String::new, |fault| fault.message),
                    stack: String::new(),
                    code: None,
                }),
                logs: Vec::new(),
                duration: Duration::ZERO,
            },
            answer => answer?,
        };
        self.count(asked.user, answer.duration).await?;
        Ok(answer)
    }

    /// A question is an invocation among those of the day.
    async fn count(&self, user: &UserId, duration: Duration) -> Result<(), EngineError> {
        let usage = Usage {
            invocations: 1,
            compute_ms: u64::try_from(duration.as_millis())
                .unwrap_or(u64::MAX)
                .max(1),
        };
        let day = self.context.infra.clock.now_ms().div_euclid(MS_PER_DAY);
        let of = user.clone();
        self.context
            .infra
            .store
            .write(move |c| usage::add(c, &of, day, usage))
            .await?;
        self.context.quotas.used(user, usage);
        Ok(())
    }

    /// What the component sees of itself while it is asked: every question passes here.
    async fn bindings(&self, asked: &Asked<'_>) -> Result<Vec<PropBinding>, EngineError> {
        let props = asked.props();
        let previous = asked.previous.map(|previous| previous.values);
        let values = provisional(&props, asked.given, previous);
        let mut bindings = source::bind(&props, &values, &[], &self.context.infra.settings);
        self.bind_accounts(asked.user, &props, &mut bindings)
            .await?;
        if asked.component.shape.has_additional_props {
            // Values of props that `additionalProps` has yet to declare again.
            let others = asked.given.iter().filter(|(name, value)| {
                !value.is_null() && props.iter().all(|prop| prop.name != **name)
            });
            bindings.extend(others.map(|(name, value)| PropBinding {
                name: name.clone(),
                kind: BindingKind::Value,
                value: label_value::plain(value),
            }));
        }
        Ok(bindings)
    }
}
