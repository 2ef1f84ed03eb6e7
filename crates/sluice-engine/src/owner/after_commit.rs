//! Everything that follows a durable commit outside of the store: streams, wake-ups, quotas, timers and metrics.

use std::sync::Arc;

use sluice_infra::{Metrics, ResultLabel};
use sluice_model::EmitterKind;

use super::waker::Waker;
use crate::{
    commit::batch::{Applied, Batch, RunChange},
    disk_quota::DiskQuotas,
    due_times::DueTimes,
    quotas::Quotas,
    streams::Streams,
    tick_health::TickHealth,
};

#[derive(Clone)]
pub(crate) struct AfterCommit {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) streams: Streams,
    pub(crate) waker: Waker,
    pub(crate) quotas: Quotas,
    pub(crate) disk: DiskQuotas,
    pub(crate) due_times: DueTimes,
    pub(crate) tick_health: TickHealth,
}

impl AfterCommit {
    pub(crate) fn run(&self, batch: &Batch, applied: &Applied) {
        self.publish(batch, applied);
        self.waker.wake(&applied.recipients);
        if let Some(due) = batch.earliest_due() {
            self.due_times.arm(due);
        }
        if let Some(due) = batch.earliest_send() {
            self.waker.wake_sends(due);
        }
        self.quotas.used(&batch.user, batch.usage);
        self.disk.written(&batch.user, batch.stored_bytes());
        self.count(batch);
    }

    fn publish(&self, batch: &Batch, applied: &Applied) {
        let (counts, recipients) = (applied.counts, &applied.recipients);
        self.streams
            .count_commit(&batch.user, &batch.emitter, counts, recipients);
        match batch.published(applied) {
            Some(events) => {
                let events = events.into_iter();
                self.streams.publish(&batch.emitter, &batch.fence, events);
            }
            None => self.streams.reload(&batch.emitter),
        }
        if !batch.logs.is_empty() {
            self.streams.logs_written(&batch.emitter);
        }
    }

    fn count(&self, batch: &Batch) {
        let metrics = &self.metrics;
        metrics.events.inc_by(batch.user_events());
        metrics.duplicates.inc_by(batch.duplicates);
        self.tick_health.skipped(batch.skipped_ticks());
        let (counter, ok, errors) = match batch.emitter.kind() {
            EmitterKind::Source(_) => {
                let ok = batch.usage.invocations.saturating_sub(batch.errors);
                (&metrics.invocations, ok, batch.errors)
            }
            EmitterKind::Workflow(_) => {
                let ended = batch.runs.iter().filter(|change| change.is_end());
                let (failed, ok): (Vec<&RunChange>, Vec<&RunChange>) =
                    ended.partition(|change| change.run.error.is_some());
                (&metrics.runs, ok.len() as u64, failed.len() as u64)
            }
        };
        let label = |result| ResultLabel { result };
        counter.get_or_create(&label("ok")).inc_by(ok);
        counter.get_or_create(&label("error")).inc_by(errors);
    }
}
