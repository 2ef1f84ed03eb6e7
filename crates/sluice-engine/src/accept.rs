//! Taking requests in: from the moment a client is told "accepted", the request is in the inbox.

use std::{sync::Arc, time::Duration};

use serde_json::value::RawValue;
use sluice_model::{InvocationId, SourceId, UserId};
use sluice_runtime::Reply;
use sluice_store::inbox::InboxKind;
use tokio::sync::oneshot;

use crate::{
    Endpoint, Engine, Responds,
    error::EngineError,
    mailbox::{NoReply, Work},
};

/// A client waits a little longer than what answers it may take.
const REPLY_GRACE: Duration = Duration::from_secs(2);

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

impl Engine {
    /// Stores a request; what comes back is true only when it is durable.
    pub async fn accept(
        &self,
        endpoint: &Arc<Endpoint>,
        request: AcceptedRequest,
    ) -> Result<Acceptance, EngineError> {
        let context = &self.context;
        let now = context.infra.clock.now_ms();
        context
            .quotas
            .check(&context.infra.store, &endpoint.user_id, now)
            .await?;
        let work = Work {
            id: context.infra.ids.invocation(),
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
        context.infra.metrics.requests_accepted.inc();
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
        let now = context.infra.clock.now_ms();
        context
            .quotas
            .check(&context.infra.store, user, now)
            .await?;
        let work = Work {
            id: context.infra.ids.invocation(),
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
