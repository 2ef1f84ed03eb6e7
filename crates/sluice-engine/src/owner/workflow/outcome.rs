//! Commits of a workflow: started runs, ended steps and ended runs.

use std::time::Duration;

use sluice_store::usage::Usage;
use tokio::time::Instant;

use super::owner::WorkflowOwner;
use crate::{
    commit::{
        batch::{Batch, RunChange, RunChangeKind},
        committer::Committed,
    },
    owner::handle::Owner,
    retention::Stored,
};

/// A first step that ends within this time is committed together with the start of its run.
const FIRST_STEP: Duration = Duration::from_millis(20);

impl WorkflowOwner {
    pub(super) fn commit_pending(&mut self) {
        let is_empty = self.pending.is_empty() && self.attempts.is_empty() && self.compute_ms == 0;
        if is_empty || self.core.is_committing() || self.may_wait_for_steps() {
            return;
        }
        self.commit_after = None;
        let infra = self.core.infra();
        let mut batch = Batch::new(
            self.core.id().clone(),
            self.workflow.user_id.clone(),
            self.core.fence.clone(),
            self.core.commit_no + 1,
            infra.now_ms(),
            infra.settings.max_event_depth,
        );
        std::mem::take(&mut self.pending).fill(&mut batch, self.last_event, &mut self.streak);
        if self.workflow.internal {
            // Its clients see each outcome, so no notification is due.
            batch.streak = None;
        }
        batch.usage = Usage {
            invocations: std::mem::take(&mut self.started_runs),
            compute_ms: std::mem::take(&mut self.compute_ms),
        };
        batch.writes = std::mem::take(&mut self.writes);
        batch.attempts = std::mem::take(&mut self.attempts);
        self.core.commit(batch);
    }

    /// Starts of runs wait a moment for the end of their first step, which saves a commit.
    fn may_wait_for_steps(&mut self) -> bool {
        let is_due = !self.attempts.is_empty() || self.compute_ms > 0;
        if is_due || !self.pending.is_only_starts() {
            return false;
        }
        let now = Instant::now();
        now < *self.commit_after.get_or_insert(now + FIRST_STEP)
    }

    pub(super) fn committed(&mut self, committed: &Committed) {
        let Committed { batch, applied } = committed;
        for change in &batch.runs {
            self.change_committed(change);
        }
        self.core.services.after_commit.run(batch, applied);
        self.notice_change(applied.generation);
        let (infra, id) = (self.core.infra(), &self.workflow.id);
        let stored = Stored {
            events: batch.events.len() as u64,
            logs: 0,
        };
        self.prune
            .stored(infra, id, infra.settings.event_retention, stored);
        let is_over = |change: &&RunChange| change.run.finished_at.is_some();
        let ended = batch.runs.iter().filter(is_over).count();
        self.prune.runs_ended(infra, id, ended as u64);
    }

    /// Reads the definition again if another node has changed it.
    fn notice_change(&self, generation: Option<i64>) {
        if let Owner::Workflow(handle) = &self.core.owner
            && generation.is_some_and(|generation| generation != self.definition_no)
        {
            handle.changed();
        }
    }

    fn change_committed(&mut self, change: &RunChange) {
        let id = &change.run.id;
        match &change.kind {
            RunChangeKind::Started { .. } => {}
            RunChangeKind::Step { .. } | RunChangeKind::Ended(_) => {
                self.step_committed(id);
                if !self.runs.contains_key(id) {
                    self.core.mailbox().done(id);
                }
            }
            RunChangeKind::Forgotten => self.core.mailbox().done(id),
        }
    }
}
