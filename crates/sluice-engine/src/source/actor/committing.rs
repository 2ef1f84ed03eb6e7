//! Committing what ended: one batch under way at a time, whatever ended meanwhile goes with the next.

use std::sync::Arc;

use super::Actor;
use crate::{
    owning::{Committed, commit},
    retention::most_events,
    source::{
        batch::{Applied, Batch},
        commit::{Aside, BatchBuilder},
    },
};
use sluice_infra::ResultLabel;

impl Actor {
    pub(super) fn builder(&mut self) -> BatchBuilder<'_> {
        BatchBuilder {
            definition: &self.definition,
            memory: &mut self.memory,
            ids: &mut self.ids,
            now_ms: self.context.infra.clock.now_ms(),
            max_depth: self.context.infra.settings.max_event_depth,
        }
    }

    pub(super) fn commit_finished(&mut self) {
        if self.commit.is_some() {
            return;
        }
        let finished = std::mem::take(&mut self.finished);
        let aside = Aside {
            stray: std::mem::take(&mut self.stray),
            attempts: std::mem::take(&mut self.attempts),
            due: std::mem::take(&mut self.due_events),
            deepest: self.deepest,
        };
        if finished.is_empty() && aside.is_empty() {
            return;
        }
        self.uncommitted = finished.len();
        let batch = self.builder().build(finished, aside);
        let stalled = self.stalled.clone();
        let tell = move |waits| {
            stalled.send_replace(waits);
        };
        self.commit = Some(tokio::spawn(commit(Arc::clone(&self.context), batch, tell)));
    }

    /// Those who follow the source, or all of the user's, hear of what was stored.
    pub(super) fn tell_readers(&self, batch: &Batch, applied: &Applied) {
        let streams = &self.context.streams;
        let (counts, reached) = (applied.counts, &applied.reached);
        streams
            .traffic
            .committed(&batch.user, &batch.source, counts, reached);
        match batch.emitted(applied) {
            Some(events) => streams.publish(&self.handle.id, events.into_iter()),
            None => streams.look_again(&self.handle.id),
        }
        if !batch.logs.is_empty() {
            streams.lines_written(&self.handle.id);
        }
    }

    pub(super) fn committed(&mut self, committed: Option<Committed<Batch>>) {
        self.uncommitted = 0;
        let Some(Committed { batch, applied }) = committed else {
            self.context.streams.look_again(&self.handle.id);
            return;
        };
        self.tell_readers(&batch, &applied);
        for id in &batch.done {
            self.handle.mailbox.done(id);
        }
        let metrics = &self.context.infra.metrics;
        metrics
            .invocations
            .get_or_create(&ResultLabel { result: "error" })
            .inc_by(batch.failed);
        metrics
            .invocations
            .get_or_create(&ResultLabel { result: "ok" })
            .inc_by(batch.invocations().saturating_sub(batch.failed));
        metrics.events.inc_by(batch.user_events());
        metrics.duplicates.inc_by(batch.duplicates);
        self.context
            .quotas
            .used(&self.definition.source.user_id, batch.usage());
        if let Some(due) = batch.earliest_due() {
            self.context.timers_changed(due);
        }
        applied.reached.wake(&self.context);
        let source = &self.definition.source;
        let keep = most_events(&self.context.infra.settings, source);
        self.retention
            .stored(&self.context, &source.id, keep, batch.rows());
    }
}
