//! Writing to the inbox. Requests that arrive together are stored in one transaction, because a write of many rows costs
//! little more than a write of one.
//!
//! A task of its own stores a request and hands it to its owner: a client that hangs up in between leaves no stored
//! request that its owner does not know.

use std::sync::Arc;

use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::StoreError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::rows::{self, NewRow, NewUpload};
use crate::{
    owner::{Owner, Owners},
    work::Work,
};

const MAX_BATCH: usize = 256;
/// While one write is being made durable, the next is already queued at the store.
const CONCURRENT_WRITES: usize = 2;

/// Work that is to be stored.
pub(super) struct Arrival {
    pub(super) row: NewRow,
    pub(super) then: Then,
    pub(super) stored: oneshot::Sender<Result<(), NotStored>>,
}

/// What happens with stored work.
pub(super) enum Then {
    /// The owner gets it, with which it is registered: no other node stores work.
    HandTo(Owner),
    /// The owner, on any node, is told to read its inbox: other nodes may have stored earlier work.
    Wake,
}

#[derive(Debug)]
pub(super) enum NotStored {
    Store(StoreError),
    /// The emitter was changed or removed since the caller read it. The files are given back.
    Outdated(Vec<NewUpload>),
}

/// Starts the writer, which ends with the last sender.
pub(super) fn start(infra: Infra, owners: Owners) -> mpsc::UnboundedSender<Arrival> {
    let (queue, arrivals) = mpsc::unbounded_channel();
    tokio::spawn(write_batches(infra, owners, arrivals));
    queue
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
        let (here, shared): (Vec<Arrival>, Vec<Arrival>) = std::mem::take(&mut batch)
            .into_iter()
            .partition(|arrival| matches!(arrival.then, Then::HandTo(_)));
        let (infra, owners) = (infra.clone(), owners.clone());
        infra.shutdown.clone().spawn(async move {
            store_here(&infra, &owners, here).await;
            store_shared(&infra, &owners, shared, permit).await;
        });
    }
}

/// Stores work of a node that is alone.
async fn store_here(infra: &Infra, owners: &Owners, batch: Vec<Arrival>) {
    if batch.is_empty() {
        return;
    }
    let mut rows = Vec::with_capacity(batch.len());
    let mut arrivals: Vec<(Then, EmitterId, Work, _)> = Vec::with_capacity(batch.len());
    for Arrival { row, then, stored } in batch {
        arrivals.push((then, row.emitter.clone(), row.work.clone(), stored));
        rows.push(row);
    }
    let write = infra.store.commit(move |c| rows::insert(c, rows));
    let result = write.await;
    for (then, emitter, work, stored) in arrivals {
        match then {
            Then::HandTo(owner) if result.is_ok() => owners.enqueue(&owner, work),
            Then::HandTo(owner) => owners.withdraw(&owner, &work.id),
            Then::Wake => owners.wake(&emitter),
        }
        let _ = stored.send(result.clone().map_err(NotStored::Store));
    }
}

/// Stores work of one node of several.
async fn store_shared(
    infra: &Infra,
    owners: &Owners,
    batch: Vec<Arrival>,
    _permit: OwnedSemaphorePermit,
) {
    if batch.is_empty() {
        return;
    }
    let (rows, clients): (Vec<NewRow>, Vec<_>) = batch
        .into_iter()
        .map(|arrival| (arrival.row, arrival.stored))
        .unzip();
    let emitters = rows::emitters(&rows);
    let node = infra.cluster.incarnation().to_owned();
    let write = infra
        .store
        .commit(move |c| rows::insert_current(c, &node, rows));
    match write.await {
        Ok(verdicts) => {
            for (id, owner) in &verdicts.owners {
                owners.learn(id, owner.as_deref());
                owners.wake(id);
            }
            for (client, outdated) in clients.into_iter().zip(verdicts.outdated) {
                let _ =
                    client.send(outdated.map_or(Ok(()), |files| Err(NotStored::Outdated(files))));
            }
        }
        Err(error) => {
            // A commit whose reply was lost may have been kept.
            for id in &emitters {
                owners.wake(id);
            }
            for client in clients {
                let _ = client.send(Err(NotStored::Store(error.clone())));
            }
        }
    }
}
