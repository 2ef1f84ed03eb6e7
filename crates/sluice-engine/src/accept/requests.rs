//! Accepting a request. A client that is told "accepted" finds its request in the inbox.

use std::{sync::Arc, time::Duration};

use serde_json::value::RawValue;
use sluice_infra::Infra;
use sluice_model::{EmitterId, InvocationId, TraceContext, UserId};
use sluice_runtime::Reply;
use sluice_store::{audit::AuditEntry, inbox::InboxKind};
use tokio::sync::oneshot;

use super::endpoint::{Endpoint, Endpoints, Responds};
use crate::{
    error::EngineError,
    inbox::{Inbox, NewUpload, NewWork, Refusal},
    owner::{NoReply, reply::ReplySender},
    quotas::Quotas,
    work::Work,
};

/// How often a request follows changes of its endpoint.
const MOST_RENEWALS: usize = 3;
/// Added to the time that a component has for its reply.
const REPLY_GRACE: Duration = Duration::from_secs(2);

/// Accepts requests to endpoints, and manual runs.
#[derive(Clone)]
pub struct Accept {
    infra: Infra,
    quotas: Quotas,
    inbox: Inbox,
    endpoints: Endpoints,
}

/// A request in the form of the event that the component gets.
pub struct AcceptedRequest {
    /// JSON text.
    pub event: String,
    pub uploads: Vec<NewUpload>,
    /// The span of the request.
    pub trace: Option<TraceContext>,
}

pub enum Acceptance {
    Stored(InvocationId),
    Waiting(InvocationId, ReplyReceiver),
}

/// Receives the component's reply.
pub struct ReplyReceiver {
    reply: oneshot::Receiver<Result<Reply, NoReply>>,
    deadline: tokio::time::Instant,
}

impl ReplyReceiver {
    pub async fn wait(self) -> Result<Reply, NoReply> {
        match tokio::time::timeout_at(self.deadline, self.reply).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => Err(NoReply::Gone),
            Err(_) => Err(NoReply::TimedOut),
        }
    }
}

impl Accept {
    pub(crate) fn new(infra: Infra, quotas: Quotas, inbox: Inbox, endpoints: Endpoints) -> Accept {
        Accept {
            infra,
            quotas,
            inbox,
            endpoints,
        }
    }

    /// Has a request kept. On `Ok` it, or its outcome, is durable.
    pub async fn accept(
        &self,
        endpoint: &Arc<Endpoint>,
        request: AcceptedRequest,
    ) -> Result<Acceptance, EngineError> {
        self.quotas.check(&endpoint.user_id).await?;
        let work = self.work(
            InboxKind::Http,
            Some(Arc::clone(&endpoint.prop)),
            Arc::from(request.event),
            request.trace,
        );
        let id = work.id;
        let (sender, receiver) = reply_channel(endpoint.responds);
        let new = NewWork {
            emitter: endpoint.emitter_id.clone(),
            work,
            files: request.uploads,
            reply: sender,
            generation: endpoint.generation,
            entry: None,
        };
        self.keep(endpoint, new).await?;
        self.infra.metrics.requests_accepted.inc();
        Ok(match receiver {
            None => Acceptance::Stored(id),
            Some(receiver) => Acceptance::Waiting(id, receiver),
        })
    }

    /// Has a manual invocation kept, with an event of the caller. The entry of the audit log about it, which gets its id, is written
    /// in the same transaction.
    pub async fn run(
        &self,
        user: &UserId,
        emitter: &EmitterId,
        event: Box<RawValue>,
        trace: Option<TraceContext>,
        entry: impl FnOnce(InvocationId) -> Option<AuditEntry> + Send,
    ) -> Result<InvocationId, EngineError> {
        self.quotas.check(user).await?;
        let work = self.work(InboxKind::Manual, None, Arc::from(event.get()), trace);
        let id = work.id;
        let new = NewWork {
            emitter: emitter.clone(),
            work,
            files: Vec::new(),
            reply: None,
            generation: None,
            entry: entry(id).map(Box::new),
        };
        match self.inbox.accept(new).await {
            Ok(()) => Ok(id),
            Err(Refusal::Error(error)) => Err(error),
            Err(Refusal::Outdated(_)) => Err(EngineError::NotFound("source or workflow")),
        }
    }

    /// Has work kept that came through an endpoint, which another node may have changed since it was read.
    async fn keep(&self, endpoint: &Endpoint, mut new: NewWork) -> Result<(), EngineError> {
        for _ in 0..MOST_RENEWALS {
            match self.inbox.accept(new).await {
                Ok(()) => return Ok(()),
                Err(Refusal::Error(error)) => return Err(error),
                Err(Refusal::Outdated(returned)) => new = returned,
            }
            new.generation = self.endpoints.renewed(endpoint).await?;
        }
        let message = "the endpoint is being changed; send the request again";
        Err(EngineError::Unavailable(message.to_owned()))
    }

    fn work(
        &self,
        kind: InboxKind,
        prop: Option<Arc<str>>,
        event: Arc<str>,
        trace: Option<TraceContext>,
    ) -> Work {
        Work {
            id: self.infra.ids.invocation(),
            kind,
            prop,
            event,
            attempts: 0,
            accepted_at: self.infra.now_ms(),
            depth: 0,
            dispatched_at: None,
            trace,
        }
    }
}

fn reply_channel(responds: Responds) -> (Option<ReplySender>, Option<ReplyReceiver>) {
    match responds {
        Responds::Immediately => (None, None),
        Responds::Custom { within } => {
            let (sender, reply) = oneshot::channel();
            let deadline = tokio::time::Instant::now() + within + REPLY_GRACE;
            (Some(sender), Some(ReplyReceiver { reply, deadline }))
        }
    }
}
