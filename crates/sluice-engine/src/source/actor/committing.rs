//! Committing what ended: one batch under way at a time, whatever ended meanwhile goes with the next.

use std::sync::Arc;

use sluice_store::Conn;
use tokio::sync::watch;

use super::{Actor, FIRST_PAUSE, LONGEST_PAUSE};
use crate::{
    context::Context,
    metrics::ResultLabel,
    retention::most_events,
    source::{
        batch::{Applied, Batch},
        commit::{Aside, BatchBuilder},
    },
};

impl Actor {
    pub(super) fn builder(&mut self) -> BatchBuilder<'_> {
        BatchBuilder {
            definition: &self.definition,
            memory: &mut self.memory,
            ids: &mut self.ids,
            now_ms: self.context.clock.now_ms(),
            max_depth: self.context.settings.max_event_depth,
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
        self.commit = Some(tokio::spawn(commit(
            Arc::clone(&self.context),
            batch,
            self.stalled.clone(),
        )));
    }

    /// Those who follow the source hear of what was stored.
    pub(super) fn tell_readers(&self, batch: &Batch, applied: &Applied) {
        let streams = &self.context.streams;
        match batch.emitted(applied) {
            Some(events) => streams.publish(&self.handle.id, events.into_iter()),
            None => streams.look_again(&self.handle.id),
        }
        if !batch.logs.is_empty() {
            streams.lines_written(&self.handle.id);
        }
    }

    pub(super) fn committed(&mut self, committed: Option<Committed>) {
        self.uncommitted = 0;
        let Some(Committed { batch, applied }) = committed else {
            self.context.streams.look_again(&self.handle.id);
            return;
        };
        self.tell_readers(&batch, &applied);
        for id in &batch.done {
            self.handle.mailbox.done(id);
        }
        let metrics = &self.context.metrics;
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
        let keep = most_events(&self.context.settings, source);
        self.retention
            .stored(&self.context, &source.id, keep, batch.rows());
    }
}

/// A batch that is stored, and what its transaction did.
pub(super) struct Committed {
    pub(super) batch: Arc<Batch>,
    pub(super) applied: Applied,
}

/// Writes a batch, however long the store is unavailable: what ran once must not run again for want of space.
/// `stalled` says whether it has to.
async fn commit(context: Arc<Context>, batch: Batch, stalled: watch::Sender<bool>) -> Committed {
    let mut batch = Arc::new(batch);
    let mut pause = FIRST_PAUSE;
    let mut unsure = false;
    let applied = loop {
        let rows = Arc::clone(&batch);
        let write = move |c: &mut dyn Conn| {
            if unsure && let Some(reached) = rows.if_kept(c)? {
                return Ok(Applied {
                    reached,
                    also_stored: None,
                });
            }
            rows.apply(c)
        };
        let result = context.store.write(write).await;
        let commits = &context.metrics.commits;
        match result {
            Ok(applied) => {
                commits.get_or_create(&ResultLabel { result: "ok" }).inc();
                break applied;
            }
            Err(error) => {
                commits
                    .get_or_create(&ResultLabel { result: "error" })
                    .inc();
                unsure = error.is_retryable();
                if unsure {
                    tracing::warn!(%error, "a commit failed; trying again");
                    stalled.send_replace(true);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                } else {
                    tracing::error!(%error, "an outcome cannot be stored and is given up");
                    batch = match Arc::try_unwrap(batch) {
                        Ok(batch) => Arc::new(
                            batch.without_effects(&error.to_string(), context.new_emit_id()),
                        ),
                        Err(batch) => batch,
                    };
                    tokio::time::sleep(pause).await;
                }
            }
        }
    };
    stalled.send_replace(false);
    Committed { batch, applied }
}
