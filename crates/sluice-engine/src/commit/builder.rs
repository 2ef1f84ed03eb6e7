//! Building blocks of a batch that sources and workflows share: event ids, errors, loop errors and next ticks.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::{EmitId, EventId, IdGen, InvocationId, TimerSpec};
use sluice_runtime::{Failure, LogLine};
use sluice_store::{inbox::InboxKind, timers::LastTick};

use super::batch::{Audience, EventRow, LogRow, TickRow};
use crate::{tick_health::TickTimes, work::Work};

/// Numbers the rows of one emitter.
pub(crate) struct RowBuilder<'a> {
    pub(crate) last_event: &'a mut Option<EventId>,
    pub(crate) ids: &'a mut IdGen,
    pub(crate) timers: &'a BTreeMap<String, TimerSpec>,
    pub(crate) now_ms: i64,
    pub(crate) max_depth: u32,
    /// When the server started.
    pub(crate) started_at: i64,
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
            provenance: None,
            trace: None,
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

    /// The timer whose tick has run, with its next due time. A timer is armed after its tick, so that it never overlaps itself.
    pub(super) fn next_tick(&self, work: &Work) -> Option<TickRow> {
        let InboxKind::Timer = work.kind else {
            return None;
        };
        let prop = work.prop.as_deref()?;
        let timer = self.timers.get(prop)?;
        let tick = TickTimes {
            due: work.accepted_at,
            dispatched: work.dispatched_at,
            ended: self.now_ms,
        };
        Some(TickRow {
            prop: prop.to_owned(),
            due_at: timer.next_tick(work.accepted_at, self.now_ms)?,
            last: LastTick {
                due_at: work.accepted_at,
                lateness_ms: tick.lateness_ms(),
            },
            skipped: tick.skipped(timer, self.started_at),
        })
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
        prop: None,
    }
}
