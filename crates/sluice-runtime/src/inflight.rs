//! What the invocations of one process have done so far, gathered until each of them ends.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use serde_json::value::RawValue;
use sluice_model::InvocationId;

use crate::outcome::{Emit, Failure, LogLine, Outcome, Unfinished, Writes};

#[derive(Default)]
pub(crate) struct Inflight {
    running: HashMap<InvocationId, Partial>,
}

struct Partial {
    emits: Vec<Emit>,
    emit_bytes: usize,
    logs: Vec<LogLine>,
    /// Writes reported as they were made; its end reports them all, so they count only when it never ends.
    writes: BTreeMap<String, Option<Box<RawValue>>>,
    /// None when it has ended and only waits for others.
    overdue_at: Option<Instant>,
    started_at: Instant,
}

impl Inflight {
    pub(crate) fn begin(&mut self, id: InvocationId, now: Instant, allowance: Duration) {
        self.running.insert(
            id,
            Partial {
                emits: Vec::new(),
                emit_bytes: 0,
                logs: Vec::new(),
                writes: BTreeMap::new(),
                overdue_at: Some(now + allowance),
                started_at: now,
            },
        );
    }

    pub(crate) fn is_running(&self, id: &InvocationId) -> bool {
        self.running.contains_key(id)
    }

    /// False when the invocation holds more than `limit` bytes of emitted events.
    pub(crate) fn emitted(&mut self, id: &InvocationId, emit: Emit, limit: usize) -> bool {
        let Some(partial) = self.running.get_mut(id) else {
            return true;
        };
        partial.emit_bytes += emit.data.get().len();
        partial.emits.push(emit);
        partial.emit_bytes <= limit
    }

    /// Gives the line back when it belongs to no running invocation.
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
        if let Some(partial) = self.running.get_mut(id) {
            partial.writes.extend(writes);
        }
    }

    /// It needs no more time of its own.
    pub(crate) fn held(&mut self, id: &InvocationId) {
        if let Some(partial) = self.running.get_mut(id) {
            partial.overdue_at = None;
        }
    }

    pub(crate) fn end(&mut self, id: &InvocationId) -> Option<Outcome> {
        let partial = self.running.remove(id)?;
        Some(Outcome {
            emits: partial.emits,
            logs: partial.logs,
            ..Outcome::default()
        })
    }

    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.running
            .values()
            .any(|p| p.overdue_at.is_some_and(|at| at <= now))
    }

    /// The only running invocation, ended as one that failed: with no other there is no doubt whose fault it was.
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
