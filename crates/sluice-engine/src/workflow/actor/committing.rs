//! Committing what happened: one batch under way at a time, whatever happens meanwhile goes with the next.

use std::{sync::Arc, time::Duration};

use sluice_infra::{MS_PER_DAY, ResultLabel};
use sluice_store::usage::Usage;
use tokio::time::Instant;

use super::Actor;
use crate::{
    owning::{Committed, commit},
    retention::Stored,
    workflow::batch::{Applied, Batch, Change, ChangeKind},
};

/// How long a first step may take for its run to be stored with it.
const FIRST_STEP: Duration = Duration::from_millis(20);

impl Actor {
    pub(super) fn commit_changes(&mut self) {
        if self.commit.is_some() || (self.changes.is_empty() && self.attempts.is_empty()) {
            return;
        }
        if self.may_wait_for_steps() {
            return;
        }
        self.commit_after = None;
        let now_ms = self.context.infra.clock.now_ms();
        let changes = std::mem::take(&mut self.changes);
        let has_events = changes.iter().any(|change| !change.events().is_empty());
        let batch = Batch {
            workflow: self.handle.id.clone(),
            user: self.workflow.user_id.clone(),
            now_ms,
            max_depth: self.context.infra.settings.max_event_depth,
            day: now_ms.div_euclid(MS_PER_DAY),
            usage: Usage {
                invocations: std::mem::take(&mut self.begun),
                compute_ms: std::mem::take(&mut self.compute_ms),
            },
            last_event: self.last_event.filter(|_| has_events),
            writes: std::mem::take(&mut self.writes),
            attempts: std::mem::take(&mut self.attempts),
            changes,
        };
        self.commit = Some(tokio::spawn(commit(
            Arc::clone(&self.context),
            batch,
            |_| {},
        )));
    }

    /// Most steps are over in a moment, and that a run began can then be stored with the end of its first step.
    fn may_wait_for_steps(&mut self) -> bool {
        let has_begun = |change: &Change| matches!(change.kind, ChangeKind::Begun { .. });
        if !self.attempts.is_empty() || !self.changes.iter().all(has_begun) {
            return false;
        }
        let now = Instant::now();
        now < *self.commit_after.get_or_insert(now + FIRST_STEP)
    }

    pub(super) fn committed(&mut self, committed: Option<Committed<Batch>>) {
        let Some(Committed { batch, applied }) = committed else {
            self.context.streams.look_again(&self.handle.id);
            return;
        };
        self.tell_readers(&batch, &applied);
        for change in &batch.changes {
            match &change.kind {
                ChangeKind::Begun { .. } => {}
                ChangeKind::Stepped { .. } | ChangeKind::Ended(_) => {
                    self.stored(&change.run.id);
                    if self.runs.contains_key(&change.run.id) {
                        continue;
                    }
                    self.handle.mailbox.done(&change.run.id);
                    self.count(change.run.error.is_some());
                }
                ChangeKind::Forgotten => self.handle.mailbox.done(&change.run.id),
            }
        }
        let context = &self.context;
        context.quotas.used(&self.workflow.user_id, batch.usage);
        if let Some(due) = batch.earliest_due() {
            context.timers_changed(due);
        }
        if let Some(due) = batch.earliest_send() {
            context.outbox.wake_sends(due);
        }
        applied.reached.wake(context);
        let emitted = batch.events().filter(|event| event.is_emitted()).count();
        context.infra.metrics.events.inc_by(emitted as u64);
        let rows = Stored {
            events: batch.events().count() as u64,
            logs: 0,
        };
        let keep = context.infra.settings.event_retention;
        self.retention.stored(context, &self.handle.id, keep, rows);
        let is_over = |change: &&Change| change.run.finished_at.is_some();
        let ended = batch.changes.iter().filter(is_over).count();
        self.retention.ended(context, &self.handle.id, ended as u64);
    }

    fn tell_readers(&self, batch: &Batch, applied: &Applied) {
        let streams = &self.context.streams;
        let (counts, reached) = (applied.counts, &applied.reached);
        streams
            .traffic
            .committed(&batch.user, &batch.workflow, counts, reached);
        if applied.as_planned {
            let events: Vec<_> = batch.events().map(|event| event.new_event()).collect();
            streams.publish(&self.handle.id, events.into_iter());
        } else {
            streams.look_again(&self.handle.id);
        }
    }

    fn count(&self, failed: bool) {
        let result = if failed { "error" } else { "ok" };
        let runs = &self.context.infra.metrics.runs;
        runs.get_or_create(&ResultLabel { result }).inc();
    }
}
