//! Putting work into the inbox.

use std::time::Duration;

use sluice_infra::{Infra, ShuttingDown};
use sluice_model::EmitterId;
use tokio::sync::{mpsc, oneshot};

use super::{
    rows::{NewRow, NewUpload},
    writer::{self, Arrival, NotStored, Then},
};
use crate::{
    error::EngineError,
    owner::{Owner, Owners, Replies, direct::NotKept, reply::ReplySender},
    work::Work,
};

/// How long a request waits for a node that has lost its lease to regain it.
const LEASE_PATIENCE: Duration = Duration::from_secs(2);

/// Cheap to clone; all clones share one queue.
#[derive(Clone)]
pub struct Inbox {
    infra: Infra,
    owners: Owners,
    replies: Replies,
    queue: mpsc::UnboundedSender<Arrival>,
}

/// A request on its way into the inbox.
pub(crate) struct NewWork {
    pub(crate) emitter: EmitterId,
    pub(crate) work: Work,
    pub(crate) files: Vec<NewUpload>,
    pub(crate) reply: Option<ReplySender>,
    /// The number of the definition that the caller knows; `None` when any will do.
    pub(crate) generation: Option<i64>,
}

/// Why a request was not kept.
pub(crate) enum Refusal {
    Error(EngineError),
    /// The emitter was changed or removed since the caller read it.
    Outdated(NewWork),
}

impl<E: Into<EngineError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Error(error.into())
    }
}

impl Inbox {
    /// Starts the writer, which ends with the last clone.
    pub(crate) fn start(infra: Infra, owners: Owners, replies: Replies) -> Inbox {
        Inbox {
            queue: writer::start(infra.clone(), owners.clone()),
            infra,
            owners,
            replies,
        }
    }

    /// Has a request kept: its owner runs it at once and commits the outcome, or it is stored. On `Ok` it is durable.
    pub(crate) async fn accept(&self, mut new: NewWork) -> Result<(), Refusal> {
        if !self.infra.cluster.is_alone() {
            return self.share(new).await;
        }
        if let (Some(busy_from), true) = (self.infra.settings.direct_from, new.files.is_empty()) {
            let owner = self.owners.of(&new.emitter);
            let mailbox = owner.mailbox();
            match mailbox.offer(new.work.clone(), new.reply.take(), busy_from) {
                Err(returned) => new.reply = returned,
                Ok(kept) => match kept.await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(NotKept::Returned(returned))) => new.reply = returned,
                    Ok(Err(NotKept::Failed(error))) => return Err(error.into()),
                    Err(_) => return Err(owner_failed().into()),
                },
            }
            if !self.infra.cluster.is_alone() {
                return self.share(new).await;
            }
        }
        self.keep(new).await
    }

    /// Stores work of a node that is alone. On `Ok` it is durable and its owner knows of it.
    async fn keep(&self, new: NewWork) -> Result<(), Refusal> {
        let NewWork {
            emitter,
            work,
            files,
            reply,
            generation: _,
        } = new;
        let owner = self.register(&emitter, &work, reply)?;
        let row = NewRow {
            emitter,
            work,
            files,
            generation: None,
            reply_to: None,
        };
        match self.store(row, Then::HandTo(owner)).await? {
            Ok(()) => Ok(()),
            Err(NotStored::Store(error)) => Err(error.into()),
            Err(NotStored::Outdated(_)) => Err(owner_failed().into()),
        }
    }

    /// Stores work of one node of several. On `Ok` it is durable, and its owner is told or finds it.
    async fn share(&self, new: NewWork) -> Result<(), Refusal> {
        let NewWork {
            emitter,
            work,
            files,
            reply,
            generation,
        } = new;
        if !self.infra.cluster.lease().wait(LEASE_PATIENCE).await {
            let message = "this node is out of service: it cannot reach the database";
            return Err(EngineError::Unavailable(message.to_owned()).into());
        }
        let reply_to = reply.is_some().then(|| self.infra.cluster.incarnation());
        let row = NewRow {
            emitter: emitter.clone(),
            work: work.clone(),
            files,
            generation,
            reply_to: reply_to.map(str::to_owned),
        };
        if let Some(reply) = reply {
            self.replies.expect(work.id, reply);
        }
        match self.store(row, Then::Wake).await? {
            Ok(()) => Ok(()),
            Err(NotStored::Store(error)) => {
                self.replies.withdraw(&work.id);
                Err(error.into())
            }
            Err(NotStored::Outdated(files)) => Err(Refusal::Outdated(NewWork {
                reply: self.replies.withdraw(&work.id),
                emitter,
                work,
                files,
                generation,
            })),
        }
    }

    async fn store(&self, row: NewRow, then: Then) -> Result<Result<(), NotStored>, EngineError> {
        let (stored, result) = oneshot::channel();
        let arrival = Arrival { row, then, stored };
        self.queue.send(arrival).map_err(|_| ShuttingDown)?;
        Ok(result.await.map_err(|_| ShuttingDown)?)
    }

    /// Registers work with its owner before it is stored.
    fn register(
        &self,
        emitter: &EmitterId,
        work: &Work,
        mut reply: Option<ReplySender>,
    ) -> Result<Owner, EngineError> {
        loop {
            let owner = self.owners.of(emitter);
            match owner.mailbox().register(work.id, reply) {
                Ok(()) => return Ok(owner),
                Err((_, returned)) => {
                    self.infra.shutdown.check()?;
                    reply = returned;
                    self.owners.unregister(&owner);
                }
            }
        }
    }
}

fn owner_failed() -> EngineError {
    let message = "the source stopped before the request was stored; it may have run";
    EngineError::Unavailable(message.to_owned())
}
