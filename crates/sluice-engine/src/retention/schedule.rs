//! Pruning by count, after new rows were stored or the retention was changed.

use std::sync::Arc;

use sluice_infra::Infra;
use sluice_model::{EmitterId, WorkflowId};
use sluice_store::{StoreError, sources::Source};

use super::{
    limits::{max_events, oldest_event_ms},
    prune::{logged, prune_events, prune_events_before, prune_logs},
    row_budget::RowBudget,
    runs,
};

/// Counts the rows that one emitter stores, and prunes when they may exceed the retention.
#[derive(Default)]
pub(crate) struct PruneSchedule {
    events: Arc<RowBudget>,
    logs: Arc<RowBudget>,
    runs: Arc<RowBudget>,
}

/// Stored rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) events: u64,
    pub(crate) logs: u64,
}

impl PruneSchedule {
    /// Adds stored rows. Of the events the newest `keep` stay.
    pub(crate) fn stored(&self, infra: &Infra, emitter: &EmitterId, keep: u64, rows: Stored) {
        if self.events.spend(keep, rows.events) {
            let (infra, budget, id) = (infra.clone(), Arc::clone(&self.events), emitter.clone());
            infra.shutdown.clone().spawn(async move {
                while budget.counted(keep, logged(&id, prune_events(&infra, &id, keep).await)) {}
            });
        }
        let keep = infra.settings.log_retention;
        if self.logs.spend(keep, rows.logs) {
            let (infra, budget, id) = (infra.clone(), Arc::clone(&self.logs), emitter.clone());
            infra.shutdown.clone().spawn(async move {
                while budget.counted(keep, logged(&id, prune_logs(&infra, &id, keep).await)) {}
            });
        }
    }

    /// Adds finished runs.
    pub(crate) fn runs_ended(&self, infra: &Infra, workflow: &WorkflowId, ended: u64) {
        let keep = infra.settings.run_retention;
        if self.runs.spend(keep, ended) {
            let (infra, budget, id) = (infra.clone(), Arc::clone(&self.runs), workflow.clone());
            infra.shutdown.clone().spawn(async move {
                while budget.counted(keep, logged(&id, runs::prune(&infra, &id, keep).await)) {}
            });
        }
    }
}

/// Prunes on demand.
#[derive(Clone)]
pub struct Retention {
    infra: Infra,
}

impl Retention {
    pub(crate) fn new(infra: Infra) -> Retention {
        Retention { infra }
    }

    /// Prunes a source whose retention has changed.
    pub fn source_changed(&self, source: &Source) {
        let (infra, source) = (self.infra.clone(), source.clone());
        infra.shutdown.clone().spawn(async move {
            logged(&source.id, prune_source(&infra, &source).await);
        });
    }
}

async fn prune_source(infra: &Infra, source: &Source) -> Result<(), StoreError> {
    prune_events(infra, &source.id, max_events(&infra.settings, source)).await?;
    match oldest_event_ms(infra, source) {
        Some(before_ms) => prune_events_before(infra, &source.id, before_ms).await,
        None => Ok(()),
    }
}
