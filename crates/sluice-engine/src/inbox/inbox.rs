//! Putting work into the inbox.

use std::time::Duration;

use sluice_infra::{Infra, ShuttingDown};
use sluice_model::{EmitterId, InvocationId};
use sluice_store::audit::AuditEntry;
use tokio::sync::{mpsc, oneshot};

use super::{
    batches,
    own::{self, OwnArrival},
    rows::{NewRow, NewUpload},
    shared::{self, NotStored, SharedArrival},
};
use crate::{
    error::EngineError,
    owner::{Owner, Owners, Replies, direct::NotKept, reply::ReplySender},
    work::Work,
};

/// How long a request waits for a node that has lost its lease to regain it.
const LEASE_PATIENCE: Duration = Duration::from_secs(2);

/// Cheap to clone; all clones are one inbox.
#[derive(Clone)]
pub struct Inbox {
    infra: Infra,
    owners: Owners,
    replies: Replies,
    /// While this node is alone.
    own: mpsc::UnboundedSender<OwnArrival>,
    shared: mpsc::UnboundedSender<SharedArrival>,
}

/// A request on its way into the inbox.
pub(crate) struct NewWork {
    pub(crate) emitter: EmitterId,
    pub(crate) work: Work,
    pub(crate) files: Vec<NewUpload>,
    pub(crate) reply: Option<ReplySender>,
    /// The number of the definition that the caller knows; `None` when any will do.
    pub(crate) generation: Option<i64>,
    /// The entry of the audit log about it, if it has one. It is stored in the same transaction.
    pub(crate) entry: Option<Box<AuditEntry>>,
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
    /// Starts the writers, which end with the last clone.
    pub(crate) fn start(infra: Infra, owners: Owners, replies: Replies) -> Inbox {
        let (for_own, for_shared) = (
            (infra.clone(), owners.clone()),
            (infra.clone(), owners.clone()),
        );
        let write_own = move |batch| own::store(for_own.0.clone(), for_own.1.clone(), batch);
        let write_shared =
            move |batch| shared::store(for_shared.0.clone(), for_shared.1.clone(), batch);
        Inbox {
            own: batches::start(infra.shutdown.clone(), write_own),
            shared: batches::start(infra.shutdown.clone(), write_shared),
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
        let has_work_only = new.files.is_empty() && new.entry.is_none();
        if let (Some(busy_from), true) = (self.infra.settings.direct_from, has_work_only) {
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
            entry,
        } = new;
        let id = work.id;
        let (reply, reply_to) = match reply {
            // A node that joins may get the source before the request starts.
            Some(client) if !self.infra.cluster.owns_database() => {
                let node = self.expect(id, client);
                let reply = self.replies.sender_to(&node, &emitter, id);
                (Some(reply), Some(node))
            }
            reply => (reply, None),
        };
        let owner = self.register(&emitter, &work, reply)?;
        let row = NewRow {
            emitter,
            work,
            files,
            generation: None,
            reply_to,
            entry,
        };
        let (stored, result) = oneshot::channel();
        let arrival = OwnArrival { row, owner, stored };
        self.own.send(arrival).map_err(|_| ShuttingDown)?;
        let result = result.await.map_err(|_| ShuttingDown)?;
        if result.is_err() {
            self.replies.withdraw(&id);
        }
        Ok(result?)
    }

    /// A client of this node waits for a reply, whichever node runs the request in the end. Returns the name of this node.
    fn expect(&self, id: InvocationId, client: ReplySender) -> String {
        self.replies.expect(id, client);
        self.infra.cluster.incarnation().to_owned()
    }

    /// Stores work of one node of several. On `Ok` it is durable, and its owner is told or finds it.
    async fn share(&self, new: NewWork) -> Result<(), Refusal> {
        let NewWork {
            emitter,
            work,
            files,
            reply,
            generation,
            entry,
        } = new;
        if !self.infra.cluster.lease().wait(LEASE_PATIENCE).await {
            let message = "this node is out of service: it cannot reach the database";
            return Err(EngineError::Unavailable(message.to_owned()).into());
        }
        let row = NewRow {
            emitter: emitter.clone(),
            work: work.clone(),
            files,
            generation,
            reply_to: reply.map(|client| self.expect(work.id, client)),
            entry,
        };
        let (stored, result) = oneshot::channel();
        let arrival = SharedArrival { row, stored };
        self.shared.send(arrival).map_err(|_| ShuttingDown)?;
        match result.await.map_err(|_| ShuttingDown)? {
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
                // Only work with a generation is tried again, and that has none.
                entry: None,
            })),
        }
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
