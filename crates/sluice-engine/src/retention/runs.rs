//! Deleting finished runs of workflows, by count and by age.

use sluice_infra::{Infra, millis};
use sluice_model::WorkflowId;
use sluice_store::{
    Conn, StoreError, run_history,
    run_pruning::{self, RunKey},
};
use tokio::time::Instant;

use super::prune::MIN_PAUSE;

/// Runs per write. A run has steps with exports, so it weighs more than an event.
const BATCH: u32 = 50;

/// Deletes runs beyond the newest `keep`; returns the count before.
pub(super) async fn prune(
    infra: &Infra,
    workflow: &WorkflowId,
    keep: u64,
) -> Result<u64, StoreError> {
    let counted = workflow.clone();
    let count = infra
        .store
        .read(move |c| run_history::count(c, &counted, None))
        .await?;
    if count > keep {
        let workflow = workflow.clone();
        remove(infra, move |c| {
            run_pruning::beyond(c, &workflow, keep, BATCH)
        })
        .await?;
    }
    Ok(count)
}

/// Drops everybody's runs that are older than they are kept.
pub(super) async fn prune_old(infra: &Infra) -> Result<(), StoreError> {
    let age = millis(infra.settings.run_max_age);
    let before = infra.now_ms().saturating_sub(age);
    remove(infra, move |c| run_pruning::older_than(c, before, BATCH)).await
}

/// Removes what `find` finds until that is nothing more, with pauses for other writes.
async fn remove(
    infra: &Infra,
    find: impl Fn(&mut dyn Conn) -> Result<Vec<RunKey>, StoreError> + Clone + Send + 'static,
) -> Result<(), StoreError> {
    while !infra.shutdown.is_draining() {
        let found = infra.store.read(find.clone()).await?;
        if found.is_empty() {
            break;
        }
        let began = Instant::now();
        infra
            .store
            .write(move |c| run_pruning::remove(c, found))
            .await?;
        tokio::time::sleep(began.elapsed().max(MIN_PAUSE)).await;
    }
    Ok(())
}
