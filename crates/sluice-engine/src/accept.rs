//! Taking requests in: from the moment a client is told "accepted", the request is in the inbox.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::value::RawValue;
use sluice_model::{
    ComponentShape, EmitterId, EndpointKey, InvocationId, PropType, SourceId, UserId,
    workflow::{DeployedTrigger, WorkflowDefinition},
};
use sluice_runtime::Reply;
use sluice_store::{Conn, StoreError, components, endpoints, inbox::InboxKind};
use tokio::sync::oneshot;

use crate::{
    Engine,
    error::EngineError,
    mailbox::{NoReply, Work},
    settings::Settings,
    source::Definition,
};

const CACHED_ENDPOINTS: usize = 50_000;
/// A client waits a little longer than what answers it may take.
const REPLY_GRACE: Duration = Duration::from_secs(2);
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
    prop: Arc<str>,
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

/// A request, as the event the component will see.
pub struct AcceptedRequest {
    /// JSON text.
    pub event: String,
    pub uploads: Vec<NewUpload>,
}

/// A file of a multipart request; the event names it as `$tmp:<id>/<file name>`.
pub struct NewUpload {
    pub id: String,
    pub filename: String,
    pub mimetype: String,
    pub content: Vec<u8>,
}

pub enum Acceptance {
    Stored(InvocationId),
    Waiting(InvocationId, ReplyReceiver),
}

/// The answer of the component, once it comes.
pub struct ReplyReceiver {
    answer: oneshot::Receiver<Result<Reply, NoReply>>,
    deadline: tokio::time::Instant,
}

impl ReplyReceiver {
    pub async fn wait(self) -> Result<Reply, NoReply> {
        match tokio::time::timeout_at(self.deadline, self.answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(NoReply::Gone),
            Err(_) => Err(NoReply::TimedOut),
        }
    }
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
        let settings = self.context.settings.clone();
        let found = self
            .context
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

    /// Stores a request; what comes back is true only when it is durable.
    pub async fn accept(
        &self,
        endpoint: &Arc<Endpoint>,
        request: AcceptedRequest,
    ) -> Result<Acceptance, EngineError> {
        let context = &self.context;
        let now = context.clock.now_ms();
        context
            .quotas
            .check(&context.store, &endpoint.user_id, now)
            .await?;
        let work = Work {
            id: context.new_invocation_id(),
            kind: InboxKind::Http,
            prop: Some(Arc::clone(&endpoint.prop)),
            event: Arc::from(request.event),
            attempts: 0,
            accepted_at: now,
            depth: 0,
        };
        let id = work.id;
        let (reply, receiver) = match endpoint.responds {
            Responds::Immediately => (None, None),
            Responds::Custom { within } => {
                let (sender, answer) = oneshot::channel();
                let deadline = tokio::time::Instant::now() + within + REPLY_GRACE;
                (Some(sender), Some(ReplyReceiver { answer, deadline }))
            }
        };
        self.inbox
            .put(&endpoint.emitter_id, work, request.uploads, reply)
            .await?;
        context.metrics.requests_accepted.inc();
        Ok(match receiver {
            None => Acceptance::Stored(id),
            Some(receiver) => Acceptance::Waiting(id, receiver),
        })
    }

    /// Runs a source now, with an event of the caller's.
    pub async fn run_source(
        &self,
        user: &UserId,
        id: &SourceId,
        event: Box<RawValue>,
    ) -> Result<InvocationId, EngineError> {
        let source = self.source_row(user, id).await?;
        if !source.active {
            return Err(EngineError::Conflict(
                "the source is inactive: activate it to run it".to_owned(),
            ));
        }
        let context = &self.context;
        let now = context.clock.now_ms();
        context.quotas.check(&context.store, user, now).await?;
        let work = Work {
            id: context.new_invocation_id(),
            kind: InboxKind::Manual,
            prop: None,
            event: Arc::from(event.get()),
            attempts: 0,
            accepted_at: now,
            depth: 0,
        };
        let id = work.id;
        self.inbox.put(&source.id, work, Vec::new(), None).await?;
        Ok(id)
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
