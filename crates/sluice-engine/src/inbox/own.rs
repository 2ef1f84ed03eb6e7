//! Storing work of a node that is alone.

use sluice_infra::Infra;
use sluice_store::StoreError;
use tokio::sync::oneshot;

use super::rows::{self, NewRow};
use crate::owner::{Owner, Owners};

/// Work that is registered with its owner, which gets it from here: no other node stores work.
pub(super) struct OwnArrival {
    pub(super) row: NewRow,
    pub(super) owner: Owner,
    pub(super) stored: oneshot::Sender<Result<(), StoreError>>,
}

pub(super) async fn store(infra: Infra, owners: Owners, batch: Vec<OwnArrival>) {
    let mut rows = Vec::with_capacity(batch.len());
    let mut arrivals = Vec::with_capacity(batch.len());
    for OwnArrival { row, owner, stored } in batch {
        arrivals.push((owner, row.work.clone(), stored));
        rows.push(row);
    }
    let result = infra.store.commit(move |c| rows::insert(c, rows)).await;
    for (owner, work, stored) in arrivals {
        match &result {
            Ok(()) => owners.enqueue(&owner, work),
            Err(_) => owners.withdraw(&owner, &work.id),
        }
        let _ = stored.send(result.clone());
    }
}
