//! Building blocks of a batch that sources and workflows share: event ids, errors, loop errors and next ticks.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::{EmitId, EventId, IdGen, InvocationId, TimerSpec};
use sluice_runtime::{Failure, LogLine};
use sluice_store::inbox::InboxKind;

use super::batch::{Audience, EventRow, LogRow};
use crate::work::Work;

/// Numbers the rows of one emitter.
pub(crate) struct RowBuilder<'a> {
    pub(crate) last_event: &'a mut Option<EventId>,
    pub(crate) ids: &'a mut IdGen,
    pub(crate) timers: &'a BTreeMap<String, TimerSpec>,
    pub(crate) now_ms: i64,
    pub(crate) max_depth: u32,
}

impl RowBuilder<'_> {
    pub(super) fn emit_id(&mut self) -> EmitId {
        EmitId::generate(self.ids, self.now_ms)
    }

    /// The next event id. Ids increase also when the clock is set back.
    pub(super) fn event_id(&mut self) -> EventId {
        let id = EventId::next(*self.last_event, self.now_ms);
        *self.last_event = Some(id);
        id
    }

    pub(super) fn event(
        &mut self,
        emit_id: EmitId,
        channel: String,
        data: Box<RawValue>,
        depth: u32,
    ) -> EventRow {
        EventRow {
            id: self.event_id(),
            channel,
            emit_id,
            meta: "{}".to_owned(),
            data,
            listener_data: None,
            audience: Audience::Listeners,
            depth,
            held_until: None,
            loop_error: None,
        }
    }

    pub(super) fn log(
        &mut self,
        invocation: Option<InvocationId>,
        line: LogLine,
        depth: u32,
    ) -> LogRow {
        LogRow {
            invocation,
            line,
            emit_id: self.emit_id(),
            depth,
        }
    }

    /// The next due time of a timer whose tick has run. A timer is armed after its tick, so that it never overlaps itself.
    pub(super) fn next_tick(&self, work: &Work) -> Option<(String, i64)> {
        let InboxKind::Timer = work.kind else {
            return None;
        };
        let prop = work.prop.as_deref()?;
        let timer = self.timers.get(prop)?;
        let due = timer.next_tick(work.accepted_at, self.now_ms)?;
        Some((prop.to_owned(), due))
    }
}

/// The error of an event that was not passed on because the chain of events is too long.
pub(super) fn event_loop(listeners: &str, depth: u32) -> Failure {
    failure(
        "EventLoop",
        format!(
            "an event was not passed on to the {listeners} that listen to it: {depth} events in a row have led to one another"
        ),
    )
}

/// An error of the server in the form of an error of the code.
pub(crate) fn failure(name: &str, message: String) -> Failure {
    Failure {
        name: name.to_owned(),
        message,
        stack: String::new(),
        code: None,
    }
}
