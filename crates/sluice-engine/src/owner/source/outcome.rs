//! Ended invocations: the reply to a waiting client, and the commit of their effects.

use sluice_model::InvocationId;
use sluice_runtime::Outcome;

use super::{
    hooks,
    owner::{Running, SourceOwner},
};
use crate::{
    commit::{
        builder::{RowBuilder, failure},
        committer::Committed,
        source::{Extras, Finished, SourceCommit, Trigger},
    },
    owner::reply::NoReply,
    retention::{Stored, max_events},
    spans,
};

impl SourceOwner {
    pub(super) fn ended(&mut self, id: InvocationId, mut outcome: Outcome) {
        let span = tracing::debug_span!("invocation", source = %self.core.id(), invocation = %id);
        let _entered = span.enter();
        let error = outcome.failure.as_ref().map(|failure| &failure.name);
        tracing::debug!(duration = ?outcome.duration, error, "invocation ended");
        let infra = self.core.infra();
        let max_db = infra.settings.max_db;
        infra
            .metrics
            .invocation_seconds
            .observe(outcome.duration.as_secs_f64());
        outcome.writes = self.memory.kv.apply(outcome.writes, max_db);
        self.last_dispatch.ended(&id);
        match self.running.remove(&id) {
            None => {}
            Some(Running::Work(mut work)) => {
                work.trace = spans::invocation(infra, self.core.id(), &work, &outcome);
                if let Some(sender) = self.core.mailbox().take_reply(&id) {
                    let _ = sender.send(Err(no_reply(&outcome)));
                }
                let is_direct = self.core.mailbox().with_direct(|direct| direct.end(&id));
                let trigger = if is_direct {
                    Trigger::Direct(work)
                } else {
                    Trigger::Inbox(work)
                };
                self.finished.push(Finished {
                    id,
                    trigger,
                    outcome,
                });
            }
            Some(Running::Hook(hook, reply)) => {
                let result = hooks::failed(hook, &outcome).map_or(Ok(()), Err);
                if let Some(operation) = &mut self.operation {
                    operation.ended_hooks.push(Finished {
                        id,
                        trigger: Trigger::Hook,
                        outcome,
                    });
                }
                let _ = reply.send(result);
            }
        }
    }

    /// Ends an invocation with an error of the server.
    pub(super) fn fail(&mut self, id: InvocationId, name: &str, message: String) {
        let outcome = Outcome {
            failure: Some(failure(name, message)),
            ..Outcome::default()
        };
        self.ended(id, outcome);
    }

    pub(super) fn commit_finished(&mut self) {
        if self.core.is_committing() || self.storing > 0 {
            return;
        }
        let finished = std::mem::take(&mut self.finished);
        if finished.is_empty() && self.extras.is_empty() {
            return;
        }
        let depth = self.extras.depth;
        let extras = std::mem::take(&mut self.extras);
        self.extras.depth = depth;
        self.uncommitted = finished.len();
        let batch = self.batch(finished, extras);
        self.core
            .mailbox()
            .with_direct(|direct| direct.commit(&batch.direct));
        self.core.commit(batch);
    }

    pub(super) fn batch(
        &mut self,
        finished: Vec<Finished>,
        extras: Extras,
    ) -> crate::commit::batch::Batch {
        let settings = &self.core.services.infra.settings;
        let rows = RowBuilder {
            last_event: &mut self.memory.last_event,
            timers: &self.definition.timers,
            now_ms: self.core.services.infra.now_ms(),
            started_at: self.core.services.infra.started_at,
            max_depth: settings.max_event_depth,
            ids: &mut self.core.ids,
        };
        let commit = SourceCommit {
            definition: &self.definition,
            dedupe: &mut self.memory.dedupe,
            streak: &mut self.memory.streak,
            requests: &mut self.memory.requests,
            rows,
        };
        let fence = self.core.fence.clone();
        commit.build(fence, self.core.commit_no + 1, finished, extras)
    }

    pub(super) fn committed(&mut self, committed: &Committed) {
        let Committed { batch, applied } = committed;
        self.uncommitted = 0;
        for id in batch.done.iter().chain(&batch.direct) {
            self.core.mailbox().done(id);
        }
        self.answer_direct(batch);
        if let Some(rows) = &batch.given_up {
            self.settle_given_up(rows, applied.was_committed_before());
        }
        self.core.services.after_commit.run(batch, applied);
        let source = &self.definition.source;
        let keep = max_events(&self.core.infra().settings, source);
        let stored = Stored {
            events: batch.events.len() as u64,
            logs: batch.logs.len() as u64,
        };
        self.prune
            .stored(self.core.infra(), &source.id, keep, stored);
    }
}

fn no_reply(outcome: &Outcome) -> NoReply {
    match &outcome.failure {
        Some(failure) if failure.name == "Timeout" => NoReply::TimedOut,
        Some(failure) => NoReply::EndedWithoutRespond(format!(
            "the source failed before it called respond: {}: {}",
            failure.name, failure.message
        )),
        None => NoReply::EndedWithoutRespond("the source ended without calling respond".to_owned()),
    }
}
