//! The running invocations of one process and their effects so far.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use serde_json::value::RawValue;
use sluice_model::InvocationId;

use crate::{
    outcome::{Call, Emit, Failure, LogLine, Outcome, Unfinished, Writes},
    protocol::End,
    step::Send,
    step_report::StepReport,
};

/// A held end is reported together with the last end that it waits for. Held ends that wait for nothing are not the harness's.
const HELD_GRACE: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(crate) struct Inflight {
    running: HashMap<InvocationId, Partial>,
    /// Since when all of them are held, so that none waits for another.
    all_held_since: Option<Instant>,
}

struct Partial {
    emits: Vec<Emit>,
    /// Only for a step.
    step: Option<StepReport>,
    /// The size of its emits, exports and sends.
    reported_bytes: usize,
    logs: Vec<LogLine>,
    /// Writes so far. The end reports all writes again, so these only count if the invocation never ends.
    writes: BTreeMap<String, Option<Box<RawValue>>>,
    /// Whether it has ended, and its end is reported after those of others.
    held: bool,
    overdue_at: Instant,
    started_at: Instant,
}

impl Inflight {
    pub(crate) fn begin(
        &mut self,
        id: InvocationId,
        call: Call,
        now: Instant,
        allowance: Duration,
    ) {
        self.running.insert(
            id,
            Partial {
                emits: Vec::new(),
                step: (call == Call::Step).then(StepReport::default),
                reported_bytes: 0,
                logs: Vec::new(),
                writes: BTreeMap::new(),
                held: false,
                overdue_at: now + allowance,
                started_at: now,
            },
        );
        self.all_held_since = None;
    }

    /// Whether it can still report something.
    pub(crate) fn is_running(&self, id: &InvocationId) -> bool {
        self.running.get(id).is_some_and(|partial| !partial.held)
    }

    fn reporting(&mut self, id: &InvocationId) -> Option<&mut Partial> {
        self.running.get_mut(id).filter(|partial| !partial.held)
    }

    /// Returns false if the invocation has reported more than `limit` bytes.
    pub(crate) fn emitted(&mut self, id: &InvocationId, emit: Emit, limit: usize) -> bool {
        self.reported(id, emit.data.get().len(), limit, |partial| {
            partial.emits.push(emit);
        })
    }

    /// Returns false if the invocation has reported more than `limit` bytes.
    pub(crate) fn exported(
        &mut self,
        id: &InvocationId,
        name: String,
        value: Box<RawValue>,
        limit: usize,
    ) -> bool {
        let bytes = name.len() + value.get().len();
        self.reported(id, bytes, limit, |partial| {
            if let Some(step) = &mut partial.step {
                step.exports.insert(name, value);
            }
        })
    }

    /// Returns false if the invocation has reported more than `limit` bytes.
    pub(crate) fn sent(&mut self, id: &InvocationId, send: Send, limit: usize) -> bool {
        self.reported(id, send.payload.get().len(), limit, |partial| {
            if let Some(step) = &mut partial.step {
                step.sends.push(send);
            }
        })
    }

    fn reported(
        &mut self,
        id: &InvocationId,
        bytes: usize,
        limit: usize,
        keep: impl FnOnce(&mut Partial),
    ) -> bool {
        let Some(partial) = self.reporting(id) else {
            return true;
        };
        partial.reported_bytes += bytes;
        keep(partial);
        partial.reported_bytes <= limit
    }

    /// Returns the line if it belongs to no running invocation.
    pub(crate) fn logged(&mut self, id: Option<&InvocationId>, line: LogLine) -> Option<LogLine> {
        let owner = match id {
            Some(id) => self.running.get_mut(id),
            None if self.running.len() == 1 => self.running.values_mut().next(),
            None => None,
        };
        match owner {
            Some(partial) => {
                partial.logs.push(line);
                None
            }
            None => Some(line),
        }
    }

    pub(crate) fn wrote(&mut self, id: &InvocationId, writes: Writes) {
        if let Some(partial) = self.reporting(id) {
            partial.writes.extend(writes);
        }
    }

    /// The invocation has ended. It has time until those that it waits for have ended.
    pub(crate) fn held(&mut self, id: &InvocationId, now: Instant) {
        if let Some(partial) = self.running.get_mut(id) {
            partial.held = true;
        }
        self.note_held(now);
    }

    fn note_held(&mut self, now: Instant) {
        let all_held = !self.running.is_empty() && self.running.values().all(|one| one.held);
        self.all_held_since = all_held.then(|| self.all_held_since.unwrap_or(now));
    }

    pub(crate) fn end(&mut self, id: &InvocationId, end: End, now: Instant) -> Option<Outcome> {
        let partial = self.running.remove(id)?;
        self.note_held(now);
        let End {
            writes,
            failure,
            duration_ms,
            answer,
            flow,
            reply,
        } = end;
        // A failed step does not decide how its run continues.
        let flow = flow.filter(|_| failure.is_none());
        Some(Outcome {
            emits: partial.emits,
            writes,
            logs: partial.logs,
            failure,
            duration: Duration::from_millis(duration_ms),
            answer,
            step: partial
                .step
                .map(|step| Box::new(step.into_outcome(flow, reply))),
        })
    }

    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        let waits_for_nothing = self
            .all_held_since
            .is_some_and(|since| since + HELD_GRACE <= now);
        waits_for_nothing
            || self
                .running
                .values()
                .any(|one| !one.held && one.overdue_at <= now)
    }

    /// Ends the only running invocation as failed. If there are several, the one that caused it is unknown.
    pub(crate) fn fail_sole(
        &mut self,
        now: Instant,
        failure: Failure,
    ) -> Option<(InvocationId, Outcome)> {
        if self.running.len() != 1 {
            return None;
        }
        let id = *self.running.keys().next()?;
        let partial = self.running.remove(&id)?;
        let outcome = Outcome {
            emits: partial.emits,
            writes: partial.writes.into_iter().collect(),
            logs: partial.logs,
            failure: Some(failure),
            duration: now - partial.started_at,
            answer: None,
            step: partial
                .step
                .map(|step| Box::new(step.into_outcome(None, None))),
        };
        Some((id, outcome))
    }

    pub(crate) fn abandon(&mut self) -> Vec<Unfinished> {
        self.running
            .drain()
            .map(|(id, partial)| Unfinished {
                id,
                logs: partial.logs,
            })
            .collect()
    }
}
