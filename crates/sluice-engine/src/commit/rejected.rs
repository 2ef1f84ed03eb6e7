//! The remains of a batch that is not written: rejected by the store, or given up with its direct requests.

use std::collections::BTreeMap;

use sluice_model::{EmitId, EmitterKind, InvocationId, workflow::RunError};
use sluice_runtime::{LogLevel, LogLine};
use sluice_store::{StoreError, runs::RunState};

use super::{
    batch::{Batch, LogRow, RunChange, RunChangeKind, RunEnd},
    progress::finish,
};

impl Batch {
    /// The invocations whose effects the batch holds.
    pub(super) fn invocations(&self) -> impl Iterator<Item = &InvocationId> {
        let runs = self.runs.iter().map(|change| &change.run.id);
        let done = self.done.iter().chain(&self.direct);
        done.chain(runs.filter(|run| !self.done.contains(run)))
    }

    /// A batch that only takes the commit number, so that this one, whose write may still be in progress, is kept before it or
    /// never. The clients of its direct requests wait a moment for that.
    pub(super) fn give_up(&self) -> Batch {
        let mut rest = Batch::new(
            self.emitter.clone(),
            self.user.clone(),
            self.fence.clone(),
            self.commit_no,
            self.now_ms,
            self.max_depth,
        );
        rest.attempts.clone_from(&self.attempts);
        rest.usage.compute_ms = self.usage.compute_ms;
        rest.given_up = Some(self.done.clone());
        rest
    }

    /// The batch without effects. A source gets a log line, and every run fails with the error.
    pub(super) fn without_effects(self, error: &StoreError, emit_id: EmitId) -> Batch {
        let reason = &error.to_string();
        let (now_ms, depth) = (self.now_ms, self.max_depth);
        let mut done = self.done;
        let mut logs = Vec::new();
        if let EmitterKind::Source(_) = self.emitter.kind() {
            logs.push(LogRow {
                invocation: done.first().or(self.direct.first()).copied(),
                line: LogLine {
                    ts: now_ms,
                    kind: "error".to_owned(),
                    level: LogLevel::Error,
                    message: format!("the effects of the invocation could not be stored: {reason}"),
                },
                emit_id,
                depth,
            });
        }
        let runs: Vec<RunChange> = self
            .runs
            .into_iter()
            .map(|change| failed(change, reason, now_ms))
            .collect();
        for change in runs.iter().filter(|change| change.is_end()) {
            if !done.contains(&change.run.id) {
                done.push(change.run.id);
            }
        }
        Batch {
            done,
            logs,
            runs,
            events: Vec::new(),
            released: Vec::new(),
            state: None,
            writes: BTreeMap::new(),
            rejection: Some(error.clone()),
            ..self
        }
    }
}

fn failed(change: RunChange, reason: &str, now_ms: i64) -> RunChange {
    let RunChange { mut run, kind } = change;
    if let RunChangeKind::Started { .. } | RunChangeKind::Forgotten = kind {
        return RunChange { run, kind };
    }
    finish(&mut run, RunState::Failed, now_ms);
    run.error = Some(RunError {
        step: None,
        code: "NotStored".to_owned(),
        message: format!("the effects of a step could not be stored: {reason}"),
        stack: String::new(),
        prop: None,
    });
    RunChange {
        run,
        kind: RunChangeKind::Ended(RunEnd::default()),
    }
}
