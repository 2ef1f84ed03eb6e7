//! The rows of one transaction: events, state, key-value store, logs, usage, the next tick, and the
//! acknowledgement of what triggered it all.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::{EmitId, EventId, InvocationId, SourceId, UserId};
use sluice_runtime::{LogLevel, LogLine};
use sluice_store::{
    Conn, StoreError,
    events::{self, NewEvent},
    inbox, kv, logs, state, timers,
    usage::{self, Usage},
};

use super::error_event::ERROR_CHANNEL;

/// One transaction's worth of rows. It can be applied again when the store was unavailable.
pub(super) struct Batch {
    pub(super) source: SourceId,
    pub(super) user: UserId,
    pub(super) day: i64,
    pub(super) usage: Usage,
    pub(super) events: Vec<EventRow>,
    pub(super) state_changed: bool,
    pub(super) last_event: Option<EventId>,
    pub(super) dedupe: Option<String>,
    pub(super) writes: BTreeMap<String, Option<Box<RawValue>>>,
    pub(super) logs: Vec<LogRow>,
    pub(super) done: Vec<InvocationId>,
    pub(super) attempts: Vec<InvocationId>,
    pub(super) due: Vec<(String, i64)>,
    pub(super) failed: u64,
    pub(super) duplicates: u64,
}

pub(super) struct EventRow {
    pub(super) id: EventId,
    pub(super) channel: String,
    pub(super) emit_id: EmitId,
    pub(super) meta: String,
    pub(super) data: Box<RawValue>,
}

pub(super) struct LogRow {
    pub(super) invocation: Option<InvocationId>,
    pub(super) line: LogLine,
}

impl Batch {
    pub(super) fn invocations(&self) -> u64 {
        self.usage.invocations
    }

    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    pub(super) fn user_events(&self) -> u64 {
        self.events
            .iter()
            .filter(|row| row.channel != ERROR_CHANNEL)
            .count() as u64
    }

    pub(super) fn rows(&self) -> u64 {
        (self.events.len() + self.logs.len()) as u64
    }

    pub(super) fn earliest_due(&self) -> Option<i64> {
        self.due.iter().map(|(_, due)| *due).min()
    }

    pub(super) fn new_events(&self) -> impl ExactSizeIterator<Item = NewEvent<'_>> {
        self.events.iter().map(|event| NewEvent {
            id: event.id,
            channel: &event.channel,
            emit_id: event.emit_id.as_str(),
            meta: &event.meta,
            data: event.data.get(),
        })
    }

    pub(super) fn apply(&self, c: &mut dyn Conn) -> Result<(), StoreError> {
        let source = &self.source;
        for event in self.new_events() {
            events::insert(c, source, &event)?;
        }
        if self.state_changed {
            state::save_raw(c, source, self.last_event, self.dedupe.as_deref())?;
        }
        for (key, value) in &self.writes {
            match value {
                Some(json) => kv::set(c, source, key, json.get())?,
                None => kv::delete(c, source, key)?,
            }
        }
        for LogRow { invocation, line } in &self.logs {
            let message = line.message.replace('\0', "");
            let row = logs::NewLog {
                invocation: invocation.as_ref().map(InvocationId::as_str),
                ts: line.ts,
                kind: &line.kind,
                level: line.level.as_str(),
                message: &message,
            };
            logs::insert(c, source, &row)?;
        }
        self.acknowledge(c)
    }

    /// Whether an attempt to apply it was kept although it seemed to fail: what it acknowledges is gone.
    pub(super) fn was_kept(&self, c: &mut dyn Conn) -> Result<bool, StoreError> {
        match self.done.first() {
            Some(id) => Ok(!inbox::contains(c, &self.source, id)?),
            None => Ok(false),
        }
    }

    fn acknowledge(&self, c: &mut dyn Conn) -> Result<(), StoreError> {
        let source = &self.source;
        for id in &self.attempts {
            inbox::add_attempt(c, source, id)?;
        }
        for id in &self.done {
            inbox::remove(c, source, id)?;
        }
        for (prop, due) in &self.due {
            timers::set_due(c, source, prop, Some(*due))?;
        }
        if self.usage.invocations > 0 {
            usage::add(c, &self.user, self.day, self.usage)?;
        }
        Ok(())
    }

    /// What remains of a batch the store will never take: the acknowledgements, and a line that says so.
    pub(super) fn without_effects(self, why: &str, now_ms: i64) -> Batch {
        let line = LogLine {
            ts: now_ms,
            kind: "error".to_owned(),
            level: LogLevel::Error,
            message: format!("what the invocation did could not be stored: {why}"),
        };
        Batch {
            events: Vec::new(),
            state_changed: false,
            last_event: None,
            dedupe: None,
            writes: BTreeMap::new(),
            logs: vec![LogRow {
                invocation: self.done.first().copied(),
                line,
            }],
            ..self
        }
    }
}
