//! Forgetting runs of workflows that are over: beyond so many of a workflow, and beyond an age.

use std::sync::Arc;

use sluice_model::WorkflowId;
use sluice_store::{
    Conn, StoreError, run_history,
    run_pruning::{self, RunKey},
};
use tokio::time::Instant;

use super::{LEAST_PAUSE, Retention, milliseconds};
use crate::context::Context;

/// What one write removes. A run has steps and what they exported, so it weighs more than an event.
const RUNS_AT_ONCE: u32 = 50;

impl Retention {
    /// Takes note of runs of a workflow that are over.
    pub(crate) fn ended(&self, context: &Arc<Context>, workflow: &WorkflowId, runs: u64) {
        let keep = context.infra.settings.run_retention;
        if self.runs.is_due(keep, runs) {
            let (looker, lookout) = (Arc::clone(context), Arc::clone(&self.runs));
            let id = workflow.clone();
            context.infra.shutdown.spawn(async move {
                while lookout.looked(keep, prune(&looker, &id, keep).await) {}
            });
        }
    }
}

/// Drops runs beyond the newest `keep`, and answers how many there were.
async fn prune(context: &Context, workflow: &WorkflowId, keep: u64) -> Result<u64, StoreError> {
    let counted = workflow.clone();
    let count = context
        .infra
        .store
        .read(move |c| run_history::count(c, &counted, None))
        .await?;
    if count > keep {
        let workflow = workflow.clone();
        remove(context, move |c| {
            run_pruning::beyond(c, &workflow, keep, RUNS_AT_ONCE)
        })
        .await?;
    }
    Ok(count)
}

/// Drops everybody's runs that are older than they are kept.
pub(super) async fn prune_old(context: &Context) -> Result<(), StoreError> {
    let age = milliseconds(context.infra.settings.run_max_age);
    let before = context.infra.clock.now_ms().saturating_sub(age);
    remove(context, move |c| {
        run_pruning::older_than(c, before, RUNS_AT_ONCE)
    })
    .await
}

/// Removes what `find` finds until that is nothing more, with pauses for other writes.
async fn remove(
    context: &Context,
    find: impl Fn(&mut dyn Conn) -> Result<Vec<RunKey>, StoreError> + Clone + Send + 'static,
) -> Result<(), StoreError> {
    while !context.infra.shutdown.is_draining() {
        let found = context.infra.store.read(find.clone()).await?;
        if found.is_empty() {
            break;
        }
        let began = Instant::now();
        context
            .infra
            .store
            .write(move |c| run_pruning::remove(c, &found))
            .await?;
        tokio::time::sleep(began.elapsed().max(LEAST_PAUSE)).await;
    }
    Ok(())
}
