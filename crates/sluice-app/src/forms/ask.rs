//! Calls of a form to a component while a user fills it in: the options of a prop, and the props that depend on the values
//! so far. Each call runs the component's code in a process of its own, with the values bound as for `run`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value};
use sluice_engine::{
    EngineError, Quotas, process::bindings::bind, secrets::Opened, state::packages_of,
};
use sluice_infra::{Infra, compute_ms};
use sluice_model::{DynamicPropsId, PropDef, SourceId, UserId, label_value, merged, provisional};
use sluice_runtime::{
    BindingKind, Failure, LoadError, ModuleSpec, ProcessOwner, ProcessSpec, Processes, PropBinding,
    Question, QuestionOutcome,
};
use sluice_store::{components::Component, dynamic_props, sources::Source, usage::Usage};

use super::draft::{Asked, Draft, LoadedDraft};
use crate::{accounts::AccountProps, components::Components, lookup};

/// Calls components for forms.
#[derive(Clone)]
pub struct Forms {
    pub(super) infra: Infra,
    processes: Arc<dyn Processes>,
    quotas: Quotas,
    components: Components,
    account_props: AccountProps,
}

impl Forms {
    pub(crate) fn new(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
        quotas: Quotas,
        components: Components,
        account_props: AccountProps,
    ) -> Forms {
        Forms {
            infra: infra.clone(),
            processes: Arc::clone(processes),
            quotas,
            components,
            account_props,
        }
    }

    /// Loads everything that a draft refers to. Fails when the user's quota is exhausted.
    pub(super) async fn load(
        &self,
        user: &UserId,
        draft: Draft,
    ) -> Result<LoadedDraft, EngineError> {
        self.quotas.check(user).await?;
        let store = &self.infra.store;
        let Draft {
            component,
            configured_props: given,
            dynamic_props_id,
            source_id,
        } = draft;
        let source = match source_id {
            Some(id) => {
                let id = SourceId::parse(&id).ok_or(EngineError::NotFound("source"))?;
                Some(lookup::source(store, user, &id).await?)
            }
            None => None,
        };
        // A source may run a component that is no longer published.
        let component = match &source {
            Some(source) if source.component_id.as_str() == component => {
                lookup::component_of(store, source).await?
            }
            _ => self
                .components
                .find(user, &component)
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
        Ok(LoadedDraft {
            component,
            dynamic,
            source,
            given,
        })
    }

    /// The values of a source in clear, by the declarations under which they were stored.
    async fn opened(&self, source: Source) -> Result<(SourceId, Map<String, Value>), EngineError> {
        let component = lookup::component_of(&self.infra.store, &source).await?;
        let props = merged(&component.shape.props, &source.dynamic_props);
        let opened = Opened::new(&self.infra.vault, &props, &source.configured_props);
        Ok((source.id, opened.values))
    }

    /// An earlier result of this component's `additionalProps`.
    pub(super) async fn snapshot(
        &self,
        user: &UserId,
        component: &Component,
        id: &str,
    ) -> Result<Vec<PropDef>, EngineError> {
        let unknown = || EngineError::NotFound("dynamic props");
        let id = DynamicPropsId::parse(id).ok_or_else(unknown)?;
        let user = user.clone();
        let found = self
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

    /// Calls a component. Its own failures are part of the outcome; an `Err` is an error of the server.
    pub(super) async fn ask(
        &self,
        asked: &Asked<'_>,
        question: Question,
        argument: &Value,
    ) -> Result<QuestionOutcome, EngineError> {
        self.infra.shutdown.check()?;
        let component = asked.component;
        let spec = ProcessSpec {
            owner: asked.previous.map_or(ProcessOwner::Unowned, |previous| {
                ProcessOwner::Source(previous.source.clone())
            }),
            user: Some(asked.user.clone()),
            max_db: None,
            modules: vec![ModuleSpec {
                name: ModuleSpec::COMPONENT.to_owned(),
                files: Arc::new(component.code.clone()),
                format: component.shape.format,
                packages: packages_of(component)?,
                props: self.bindings(asked).await?,
            }],
            env: BTreeMap::new(),
            secret_env: BTreeSet::new(),
            stored: Vec::new(),
        };
        let timeout = self.infra.settings.invocation_timeout;
        let argument = Arc::from(argument.to_string());
        let answer = self.processes.ask(&spec, question, argument, timeout);
        let answer = match answer.await {
            Err(LoadError::Code(errors) | LoadError::Imports(errors)) => QuestionOutcome {
                result: Err(Failure {
                    name: "LoadError".to_owned(),
                    message: errors
                        .into_iter()
                        .next()
                        .map_or_else(String::new, |error| error.message),
                    stack: String::new(),
                    code: None,
                    prop: None,
                }),
                logs: Vec::new(),
                duration: Duration::ZERO,
            },
            answer => answer?,
        };
        self.count(asked.user, answer.duration).await?;
        Ok(answer)
    }

    /// A call counts as an invocation in the daily quota.
    async fn count(&self, user: &UserId, duration: Duration) -> Result<(), EngineError> {
        let usage = Usage {
            invocations: 1,
            compute_ms: compute_ms(duration),
        };
        Ok(self.quotas.charge(user, usage).await?)
    }

    /// The props of the component during a call.
    async fn bindings(&self, asked: &Asked<'_>) -> Result<Vec<PropBinding>, EngineError> {
        let props = asked.props();
        let previous = asked.previous.map(|previous| previous.values);
        let values = provisional(&props, asked.given, previous);
        let mut bindings = bind(&props, &values, &[], &self.infra.settings);
        self.account_props
            .bind(asked.user, &props, &mut bindings)
            .await?;
        if asked.component.shape.has_additional_props {
            // Values of props that `additionalProps` declares in this call.
            let others = asked.given.iter().filter(|(name, value)| {
                !value.is_null() && props.iter().all(|prop| prop.name != **name)
            });
            bindings.extend(others.map(|(name, value)| PropBinding {
                name: name.clone(),
                kind: BindingKind::Value,
                value: label_value::plain(value),
                secret: false,
            }));
        }
        Ok(bindings)
    }
}
