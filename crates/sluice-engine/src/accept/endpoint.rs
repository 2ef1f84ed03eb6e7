//! Endpoints of sources and workflows, with a cache in front of the store.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_cluster::Hint;
use sluice_infra::{Infra, Settings};
use sluice_model::{
    ComponentShape, EmitterId, EndpointKey, PropType, UserId,
    workflow::{DeployedTrigger, WorkflowDefinition},
};
use sluice_store::{Conn, StoreError, components, endpoints};

use crate::{error::EngineError, state::Definition};

const MAX_CACHED: usize = 50_000;
/// Upper limit for the reply of a workflow, over all its steps.
const LONGEST_REPLY: Duration = Duration::from_mins(5);

/// The target of requests to an endpoint.
#[derive(Debug)]
pub struct Endpoint {
    pub key: EndpointKey,
    pub emitter_id: EmitterId,
    pub user_id: UserId,
    pub responds: Responds,
    pub event: EventForm,
    pub(crate) prop: Arc<str>,
    /// The number of the definition that it was read from; `None` for one that is not stored yet.
    pub(crate) generation: Option<i64>,
}

impl Endpoint {
    /// Whether a request that was read for this endpoint means the same for the other.
    fn treats_requests_as(&self, other: &Endpoint) -> bool {
        self.emitter_id == other.emitter_id
            && self.responds == other.responds
            && self.event == other.event
            && self.prop == other.prop
    }
}

/// Who responds to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responds {
    /// The server, as soon as the request is stored.
    Immediately,
    /// The component or a step, with `respond`, within this time.
    Custom { within: Duration },
}

/// The part of a request that becomes the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventForm {
    /// The whole request.
    Request,
    /// The body alone: the endpoint is an app's webhook.
    Body,
}

/// Finds endpoints by key. Cheap to clone; all clones share one cache.
#[derive(Clone)]
pub struct Endpoints {
    infra: Infra,
    cache: Arc<Mutex<Cache>>,
}

#[derive(Default)]
struct Cache {
    by_key: HashMap<EndpointKey, Arc<Endpoint>>,
    /// Number of invalidations. An endpoint read before one is not cached after it.
    invalidations: u64,
}

impl Endpoints {
    pub(crate) fn new(infra: Infra) -> Endpoints {
        Endpoints {
            infra,
            cache: Arc::default(),
        }
    }

    /// The endpoint with this key; `None` when it is unknown or its source or workflow is inactive.
    pub async fn find(&self, key: &EndpointKey) -> Result<Option<Arc<Endpoint>>, EngineError> {
        let invalidations = {
            let cache = self.cache.lock();
            if let Some(endpoint) = cache.by_key.get(key) {
                return Ok(Some(Arc::clone(endpoint)));
            }
            cache.invalidations
        };
        let (wanted, settings) = (key.clone(), Arc::clone(&self.infra.settings));
        let read = self
            .infra
            .store
            .read(move |c| match of_source(c, &wanted, &settings)? {
                Some(endpoint) => Ok(Some(endpoint)),
                None => of_workflow(c, &wanted, &settings),
            });
        let found = read.await?.map(Arc::new);
        if let Some(endpoint) = &found {
            let mut cache = self.cache.lock();
            if cache.invalidations == invalidations {
                cache.insert(Arc::clone(endpoint));
            }
        }
        Ok(found)
    }

    /// The number of the definition that the endpoint has now, after one was outdated. Fails when the endpoint is gone, or treats
    /// requests in another way.
    pub(super) async fn renewed(&self, outdated: &Endpoint) -> Result<Option<i64>, EngineError> {
        self.forget(&outdated.emitter_id);
        let Some(endpoint) = self.find(&outdated.key).await? else {
            return Err(EngineError::NotFound("endpoint"));
        };
        if !outdated.treats_requests_as(&endpoint) {
            let message = "the endpoint was changed just now; send the request again";
            return Err(EngineError::Unavailable(message.to_owned()));
        }
        Ok(endpoint.generation)
    }

    /// The emitter was changed or removed: all nodes read its endpoints again. One that does not hear of it notices when it stores a
    /// request.
    pub fn changed(&self, emitter: &EmitterId) {
        self.forget(emitter);
        if !self.infra.cluster.is_alone() {
            self.infra
                .cluster
                .hint_all(&Hint::Definition(emitter.clone()));
        }
    }

    /// Invalidates the cached endpoints of an emitter.
    pub(crate) fn forget(&self, emitter: &EmitterId) {
        let mut cache = self.cache.lock();
        cache.invalidations += 1;
        cache
            .by_key
            .retain(|_, endpoint| endpoint.emitter_id != *emitter);
    }

    /// Makes the endpoints of a source answer by a definition that is not stored yet, while it is being activated.
    pub fn announce(&self, definition: &Definition) {
        let settings = &self.infra.settings;
        for endpoint in &definition.endpoints {
            let target = Endpoint {
                key: endpoint.key.clone(),
                emitter_id: definition.source.id.clone().into(),
                user_id: definition.source.user_id.clone(),
                responds: Responds::of(&definition.shape, &endpoint.prop, settings),
                event: EventForm::of(&definition.shape, &endpoint.prop),
                prop: Arc::from(endpoint.prop.as_str()),
                generation: None,
            };
            self.cache.lock().insert(Arc::new(target));
        }
    }
}

impl Cache {
    fn insert(&mut self, endpoint: Arc<Endpoint>) {
        if self.by_key.len() >= MAX_CACHED {
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
        generation: Some(target.generation),
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
        generation: Some(target.generation),
    }))
}
