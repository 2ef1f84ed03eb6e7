//! Taking requests in: from the moment a client is told "accepted", the request is in the inbox.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::value::RawValue;
use sluice_model::{ComponentShape, EndpointKey, InvocationId, PropType, SourceId, UserId};
use sluice_runtime::Reply;
use sluice_store::{components, endpoints, inbox::InboxKind};
use tokio::sync::oneshot;

use crate::{
    Engine,
    error::EngineError,
    mailbox::{NoReply, Work},
    source::Definition,
};

const CACHED_ENDPOINTS: usize = 50_000;
/// A client waits a little longer than the invocation may take.
const REPLY_GRACE: Duration = Duration::from_secs(2);

/// Where requests to an endpoint go.
#[derive(Debug)]
pub struct Endpoint {
    pub key: EndpointKey,
    pub source_id: SourceId,
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
    /// The component, with `respond`.
    Custom,
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
    pub(crate) fn forget_source(&self, source: &SourceId) {
        let mut known = self.known.lock();
        known.forgotten += 1;
        known
            .by_key
            .retain(|_, endpoint| endpoint.source_id != *source);
    }

    /// While a source is being activated its endpoints answer as its new code says, though nothing of that is stored.
    pub(crate) fn announce(&self, definition: &Definition) {
        for endpoint in &definition.endpoints {
            let target = Endpoint {
                key: endpoint.key.clone(),
                source_id: definition.source.id.clone(),
                user_id: definition.source.user_id.clone(),
                responds: Responds::of(&definition.shape, &endpoint.prop),
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
    fn of(shape: &ComponentShape, prop: &str) -> Responds {
        let custom = shape
            .props_of(&PropType::Http)
            .any(|http| http.name == prop && http.custom_response());
        if custom {
            Responds::Custom
        } else {
            Responds::Immediately
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
    /// The endpoint behind a key; `None` when it is unknown or its source is inactive.
    pub async fn endpoint(&self, key: &EndpointKey) -> Result<Option<Arc<Endpoint>>, EngineError> {
        let forgotten = match self.endpoints.get(key) {
            Ok(endpoint) => return Ok(Some(endpoint)),
            Err(forgotten) => forgotten,
        };
        let wanted = key.clone();
        let found = self
            .context
            .store
            .read(move |c| {
                let Some(target) =
                    endpoints::source_behind(c, &wanted)?.filter(|target| target.active)
                else {
                    return Ok(None);
                };
                let component = components::get_for_run(c, &target.component_id)?;
                Ok(component.map(|component| {
                    let shape = component.shape.with_dynamic_props(&target.dynamic_props);
                    (target, shape)
                }))
            })
            .await?;
        let Some((target, shape)) = found else {
            return Ok(None);
        };
        let endpoint = Arc::new(Endpoint {
            key: key.clone(),
            source_id: target.source_id,
            user_id: target.user_id,
            responds: Responds::of(&shape, &target.prop),
            event: EventForm::of(&shape, &target.prop),
            prop: Arc::from(target.prop.as_str()),
        });
        self.endpoints.keep(Arc::clone(&endpoint), forgotten);
        Ok(Some(endpoint))
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
            Responds::Custom => {
                let (sender, answer) = oneshot::channel();
                let deadline =
                    tokio::time::Instant::now() + context.settings.invocation_timeout + REPLY_GRACE;
                (Some(sender), Some(ReplyReceiver { answer, deadline }))
            }
        };
        self.inbox
            .put(&endpoint.source_id, work, request.uploads, reply)
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
