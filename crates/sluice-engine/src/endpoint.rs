//! Where requests to an address go: the endpoints of sources and workflows, as they are stored and as they are known.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_infra::Settings;
use sluice_model::{
    ComponentShape, EmitterId, EndpointKey, PropType, UserId,
    workflow::{DeployedTrigger, WorkflowDefinition},
};
use sluice_store::{Conn, StoreError, components, endpoints};

use crate::{Engine, error::EngineError, source::Definition};

const CACHED_ENDPOINTS: usize = 50_000;
/// For all steps of a workflow together: few clients wait longer.
const LONGEST_REPLY: Duration = Duration::from_mins(5);

/// Where requests to an endpoint go.
#[derive(Debug)]
pub struct Endpoint {
    pub key: EndpointKey,
    pub emitter_id: EmitterId,
    pub user_id: UserId,
    pub responds: Responds,
    pub event: EventForm,
    pub(crate) prop: Arc<str>,
}

/// Who answers the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responds {
    /// The server, as soon as the request is stored.
    Immediately,
    /// The component or a step, with `respond`, which may take this long.
    Custom { within: Duration },
}

/// What of a request becomes the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventForm {
    /// All of it.
    Request,
    /// Its body alone: it comes from an app that has a webhook.
    Body,
}

/// Endpoints that requests have been for, and those of sources that are just being activated.
#[derive(Default)]
pub(crate) struct EndpointCache {
    known: Mutex<KnownEndpoints>,
}

#[derive(Default)]
struct KnownEndpoints {
    by_key: HashMap<EndpointKey, Arc<Endpoint>>,
    /// Counts what was forgotten, so that nothing read before a change is kept after it.
    forgotten: u64,
}

impl EndpointCache {
    pub(crate) fn forget(&self, emitter: &EmitterId) {
        let mut known = self.known.lock();
        known.forgotten += 1;
        known
            .by_key
            .retain(|_, endpoint| endpoint.emitter_id != *emitter);
    }

    /// While a source is being activated its endpoints answer as its new code says, though nothing of that is stored.
    pub(crate) fn announce(&self, definition: &Definition, settings: &Settings) {
        for endpoint in &definition.endpoints {
            let target = Endpoint {
                key: endpoint.key.clone(),
                emitter_id: definition.source.id.clone().into(),
                user_id: definition.source.user_id.clone(),
                responds: Responds::of(&definition.shape, &endpoint.prop, settings),
                event: EventForm::of(&definition.shape, &endpoint.prop),
                prop: Arc::from(endpoint.prop.as_str()),
            };
            self.known.lock().keep(Arc::new(target));
        }
    }

    /// The endpoint, or how much had been forgotten when it was not here.
    fn get(&self, key: &EndpointKey) -> Result<Arc<Endpoint>, u64> {
        let known = self.known.lock();
        known.by_key.get(key).cloned().ok_or(known.forgotten)
    }

    fn keep(&self, endpoint: Arc<Endpoint>, forgotten: u64) {
        let mut known = self.known.lock();
        if known.forgotten == forgotten {
            known.keep(endpoint);
        }
    }
}

impl KnownEndpoints {
    fn keep(&mut self, endpoint: Arc<Endpoint>) {
        if self.by_key.len() >= CACHED_ENDPOINTS {
            self.by_key.clear();
        }
        self.by_key.insert(endpoint.key.clone(), endpoint);
    }
}

impl Responds {
    fn of(shape: &ComponentShape, prop: &str, settings: &Settings) -> Responds {
        let custom = shape
            .props_of(&PropType::Http)
            .any(|http| http.name == prop && http.custom_response());
        if custom {
            Responds::Custom {
                within: settings.invocation_timeout,
            }
        } else {
            Responds::Immediately
        }
    }

    fn of_workflow(definition: &WorkflowDefinition, settings: &Settings) -> Responds {
        let custom = definition.triggers.iter().any(|trigger| {
            matches!(
                trigger,
                DeployedTrigger::Http {
                    custom_response: true
                }
            )
        });
        if !custom {
            return Responds::Immediately;
        }
        let each = definition.steps.iter().map(|step| {
            let seconds = step.timeout_seconds.or(definition.settings.timeout_seconds);
            seconds.map_or(settings.invocation_timeout, |seconds| {
                Duration::from_secs(seconds.into())
            })
        });
        let all = each.fold(Duration::ZERO, Duration::saturating_add);
        Responds::Custom {
            within: all.min(LONGEST_REPLY),
        }
    }
}

impl EventForm {
    fn of(shape: &ComponentShape, prop: &str) -> EventForm {
        if shape
            .props_of(&PropType::Apphook)
            .any(|hook| hook.name == prop)
        {
            EventForm::Body
        } else {
            EventForm::Request
        }
    }
}

impl Engine {
    /// The endpoint behind a key; `None` when it is unknown or its source or workflow is inactive.
    pub async fn endpoint(&self, key: &EndpointKey) -> Result<Option<Arc<Endpoint>>, EngineError> {
        let forgotten = match self.endpoints.get(key) {
            Ok(endpoint) => return Ok(Some(endpoint)),
            Err(forgotten) => forgotten,
        };
        let wanted = key.clone();
        let settings = self.context.infra.settings.clone();
        let found = self
            .context
            .infra
            .store
            .read(move |c| match of_source(c, &wanted, &settings)? {
                Some(endpoint) => Ok(Some(endpoint)),
                None => of_workflow(c, &wanted, &settings),
            })
            .await?
            .map(Arc::new);
        if let Some(endpoint) = &found {
            self.endpoints.keep(Arc::clone(endpoint), forgotten);
        }
        Ok(found)
    }
}

fn of_source(
    c: &mut dyn Conn,
    key: &EndpointKey,
    settings: &Settings,
) -> Result<Option<Endpoint>, StoreError> {
    let Some(target) = endpoints::source_behind(c, key)?.filter(|target| target.active) else {
        return Ok(None);
    };
    let Some(component) = components::get_for_run(c, &target.component_id)? else {
        return Ok(None);
    };
    let shape = component.shape.with_dynamic_props(&target.dynamic_props);
    Ok(Some(Endpoint {
        key: key.clone(),
        emitter_id: target.source_id.into(),
        user_id: target.user_id,
        responds: Responds::of(&shape, &target.prop, settings),
        event: EventForm::of(&shape, &target.prop),
        prop: Arc::from(target.prop),
    }))
}

fn of_workflow(
    c: &mut dyn Conn,
    key: &EndpointKey,
    settings: &Settings,
) -> Result<Option<Endpoint>, StoreError> {
    let target = endpoints::workflow_behind(c, key)?.filter(|target| target.active);
    Ok(target.map(|target| Endpoint {
        key: key.clone(),
        emitter_id: target.workflow_id.into(),
        user_id: target.user_id,
        responds: Responds::of_workflow(&target.definition, settings),
        event: EventForm::Request,
        prop: Arc::from(target.prop),
    }))
}
