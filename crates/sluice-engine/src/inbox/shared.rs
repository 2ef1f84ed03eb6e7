//! Storing work of one node of several. Its owner, on any node, is told to read its inbox: other nodes may have stored earlier
//! work.

use sluice_infra::Infra;
use sluice_store::StoreError;
use tokio::sync::oneshot;

use super::rows::{self, NewRow, NewUpload};
use crate::owner::Owners;

pub(super) struct SharedArrival {
    pub(super) row: NewRow,
    pub(super) stored: oneshot::Sender<Result<(), NotStored>>,
}

#[derive(Debug)]
pub(super) enum NotStored {
    Store(StoreError),
    /// The emitter was changed or removed since the caller read it. The files are given back.
    Outdated(Vec<NewUpload>),
}

pub(super) async fn store(infra: Infra, owners: Owners, batch: Vec<SharedArrival>) {
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
