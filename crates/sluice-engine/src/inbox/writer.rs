//! Writing to the inbox. Requests that arrive together are stored in one transaction, because a write of many rows costs
//! little more than a write of one.
//!
//! A task of its own stores a request and hands it to its owner: a client that hangs up in between leaves no stored
//! request that its owner does not know.

use std::sync::Arc;

use sluice_infra::{Infra, ShuttingDown};
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    inbox::{self, NewInboxItem},
    uploads::{self, Upload},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::{
    error::EngineError,
    owner::{Owner, Owners, direct::NotKept, reply::ReplySender},
    work::Work,
};

const MAX_BATCH: usize = 256;
/// While one write is being made durable, the next is already queued at the store.
const CONCURRENT_WRITES: usize = 2;

/// A file of a multipart request; the event names it as `$tmp:<id>/<file name>`.
pub struct NewUpload {
    pub id: String,
    pub filename: String,
    pub mimetype: String,
    pub content: Vec<u8>,
}

/// Cheap to clone; all clones share one queue.
#[derive(Clone)]
pub struct Inbox {
    infra: Infra,
    owners: Owners,
    queue: mpsc::UnboundedSender<Arrival>,
}

struct Arrival {
    owner: Owner,
    work: Work,
    files: Vec<NewUpload>,
    stored: oneshot::Sender<Result<(), StoreError>>,
}

impl Inbox {
    /// Starts the writer, which ends with the last clone.
    pub(crate) fn start(infra: Infra, owners: Owners) -> Inbox {
        let (queue, arrivals) = mpsc::unbounded_channel();
        tokio::spawn(write_batches(infra.clone(), owners.clone(), arrivals));
        Inbox {
            infra,
            owners,
            queue,
        }
    }

    /// Has a request kept: its owner runs it at once and commits the outcome, or it is stored. On `Ok` it is durable.
    pub(crate) async fn accept(
        &self,
        emitter: &EmitterId,
        work: Work,
        files: Vec<NewUpload>,
        mut reply: Option<ReplySender>,
    ) -> Result<(), EngineError> {
        if let (Some(busy_from), true) = (self.infra.settings.direct_from, files.is_empty()) {
            let owner = self.owners.of(emitter);
            match owner.mailbox().offer(work.clone(), reply, busy_from) {
                Err(returned) => reply = returned,
                Ok(kept) => match kept.await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(NotKept::Returned(returned))) => reply = returned,
                    Ok(Err(NotKept::Failed(error))) => return Err(error.into()),
                    Err(_) => return Err(owner_failed()),
                },
            }
        }
        self.put(emitter, work, files, reply).await
    }

    /// Stores work. On `Ok` it is durable and its owner knows of it.
    pub(crate) async fn put(
        &self,
        emitter: &EmitterId,
        work: Work,
        files: Vec<NewUpload>,
        reply: Option<ReplySender>,
    ) -> Result<(), EngineError> {
        let owner = self.register(emitter, &work, reply)?;
        let (stored, result) = oneshot::channel();
        let arrival = Arrival {
            owner,
            work,
            files,
            stored,
        };
        self.queue.send(arrival).map_err(|_| ShuttingDown)?;
        Ok(result.await.map_err(|_| ShuttingDown)??)
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

async fn write_batches(
    infra: Infra,
    owners: Owners,
    mut arrivals: mpsc::UnboundedReceiver<Arrival>,
) {
    let permits = Arc::new(Semaphore::new(CONCURRENT_WRITES));
    let mut batch = Vec::new();
    while arrivals.recv_many(&mut batch, MAX_BATCH).await > 0 {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        // More may have arrived while it waited for the permit.
        while batch.len() < MAX_BATCH
            && let Ok(more) = arrivals.try_recv()
        {
            batch.push(more);
        }
        let batch = std::mem::take(&mut batch);
        infra
            .shutdown
            .spawn(store(infra.clone(), owners.clone(), batch, permit));
    }
}

async fn store(
    infra: Infra,
    owners: Owners,
    mut batch: Vec<Arrival>,
    _permit: OwnedSemaphorePermit,
) {
    let rows: Vec<(EmitterId, Work, Vec<NewUpload>)> = batch
        .iter_mut()
        .map(|arrival| {
            let files = std::mem::take(&mut arrival.files);
            (arrival.owner.id().clone(), arrival.work.clone(), files)
        })
        .collect();
    let write = infra.store.commit(move |c| insert(c, rows));
    let result = write.await;
    for Arrival {
        owner,
        work,
        stored,
        ..
    } in batch
    {
        if result.is_ok() {
            owners.enqueue(&owner, work);
        } else {
            owners.withdraw(&owner, &work.id);
        }
        let _ = stored.send(result.clone());
    }
}

/// Stores direct requests of an emitter that take too long.
pub(crate) fn insert_direct(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    works: Vec<Work>,
) -> Result<(), StoreError> {
    let rows = works.into_iter();
    let rows = rows.map(|work| (emitter.clone(), work, Vec::new()));
    insert(c, rows.collect())
}

/// Inserts work of any emitters with its files.
fn insert(
    c: &mut dyn Conn,
    rows: Vec<(EmitterId, Work, Vec<NewUpload>)>,
) -> Result<(), StoreError> {
    let items = rows.iter().map(|(emitter, work, _)| {
        let item = NewInboxItem {
            id: &work.id,
            kind: work.kind,
            prop: work.prop.as_deref(),
            payload: &work.event,
            accepted_at: work.accepted_at,
            depth: work.depth,
        };
        (emitter, item)
    });
    inbox::insert_all(c, items)?;
    for (emitter, work, files) in rows {
        for NewUpload {
            id,
            filename,
            mimetype,
            content,
        } in files
        {
            let upload = Upload {
                id,
                emitter_id: emitter.clone(),
                invocation_id: work.id,
                filename,
                mimetype: mimetype.replace('\0', ""),
                content,
                created_at: work.accepted_at,
            };
            uploads::insert(c, &upload)?;
        }
    }
    Ok(())
}
