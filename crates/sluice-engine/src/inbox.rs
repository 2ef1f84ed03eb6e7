//! The way into the inbox. Requests that arrive together are stored together, because one write for many
//! costs little more than a write for one.
//!
//! What arrives is stored and handed to its owner by a task of its own: a client that hangs up in
//! between leaves no stored request that its owner does not know of.

use std::sync::Arc;

use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    inbox::{self, NewInboxItem},
    uploads::{self, Upload},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::{
    NewUpload,
    context::Context,
    error::EngineError,
    mailbox::{ReplySender, Work},
    owners::Owner,
};

const MOST_TOGETHER: usize = 256;
/// While one write is being made durable the next is already with the store.
const WRITES_AT_ONCE: usize = 2;

#[derive(Clone)]
pub(crate) struct Inbox {
    context: Arc<Context>,
    arrivals: mpsc::UnboundedSender<Arrival>,
}

struct Arrival {
    owner: Owner,
    work: Work,
    files: Vec<NewUpload>,
    stored: oneshot::Sender<Result<(), StoreError>>,
}

impl Inbox {
    /// Opens the inbox; it closes with its last clone.
    pub(crate) fn open(context: Arc<Context>) -> Inbox {
        let (arrivals, queue) = mpsc::unbounded_channel();
        tokio::spawn(gather(Arc::clone(&context), queue));
        Inbox { context, arrivals }
    }

    /// Stores work for a source or a workflow; when this answers `Ok`, it is durable and its owner knows of it.
    pub(crate) async fn put(
        &self,
        emitter: &EmitterId,
        work: Work,
        files: Vec<NewUpload>,
        reply: Option<ReplySender>,
    ) -> Result<(), EngineError> {
        let owner = self.announce(emitter, &work, reply)?;
        let (stored, answer) = oneshot::channel();
        self.arrivals
            .send(Arrival {
                owner,
                work,
                files,
                stored,
            })
            .map_err(|_| EngineError::shutting_down())?;
        Ok(answer.await.map_err(|_| EngineError::shutting_down())??)
    }

    fn announce(
        &self,
        emitter: &EmitterId,
        work: &Work,
        mut reply: Option<ReplySender>,
    ) -> Result<Owner, EngineError> {
        let Inbox { context, .. } = self;
        loop {
            let owner = context.owners.of(context, emitter);
            match owner.mailbox().expect(work.id, reply) {
                Ok(()) => return Ok(owner),
                Err((_, back)) => {
                    if context.infra.shutdown.is_draining() {
                        return Err(EngineError::shutting_down());
                    }
                    reply = back;
                    context.owners.release(&owner);
                }
            }
        }
    }
}

async fn gather(context: Arc<Context>, mut queue: mpsc::UnboundedReceiver<Arrival>) {
    let places = Arc::new(Semaphore::new(WRITES_AT_ONCE));
    let mut together = Vec::new();
    while queue.recv_many(&mut together, MOST_TOGETHER).await > 0 {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        // More may have come while it waited for a place.
        while together.len() < MOST_TOGETHER
            && let Ok(more) = queue.try_recv()
        {
            together.push(more);
        }
        let group = std::mem::take(&mut together);
        context
            .infra
            .shutdown
            .spawn(store(Arc::clone(&context), group, place));
    }
}

async fn store(context: Arc<Context>, mut group: Vec<Arrival>, _place: OwnedSemaphorePermit) {
    let rows: Vec<(EmitterId, Work, Vec<NewUpload>)> = group
        .iter_mut()
        .map(|arrival| {
            let files = std::mem::take(&mut arrival.files);
            (arrival.owner.id().clone(), arrival.work.clone(), files)
        })
        .collect();
    let result = context.infra.store.write(move |c| {
        rows.into_iter()
            .try_for_each(|(emitter, work, files)| insert(c, &emitter, &work, files))
    });
    let result = result.await;
    for Arrival {
        owner,
        work,
        stored,
        ..
    } in group
    {
        if result.is_ok() {
            owner.mailbox().deliver(work);
        } else {
            owner.mailbox().forget(&work.id);
            // A commit that failed on its way back may have been kept all the same.
            context.owners.wake(&context, owner.id());
        }
        let _ = stored.send(result.clone());
    }
}

fn insert(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    work: &Work,
    files: Vec<NewUpload>,
) -> Result<(), StoreError> {
    let item = NewInboxItem {
        id: &work.id,
        kind: work.kind,
        prop: work.prop.as_deref(),
        payload: &work.event,
        accepted_at: work.accepted_at,
        depth: work.depth,
    };
    inbox::insert(c, emitter, &item)?;
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
    Ok(())
}
