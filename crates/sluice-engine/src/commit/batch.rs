//! The rows of one transaction, as data: events, state, key-value writes, logs, runs, timers, usage, and the
//! acknowledgement of the inbox rows that caused them.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::value::RawValue;
use sluice_model::{EmitId, EmitterId, EventId, InvocationId, TraceContext, UserId};
use sluice_runtime::{HeldReport, LogLine};
use sluice_store::{
    StoreError,
    activity::Counts,
    deliveries::Outgoing,
    events::{ChannelFilter, NewEvent, StoredEvent},
    provenance::Provenance,
    run_steps::StepRecord,
    runs::Run,
    sends::{SendRow, SendState},
    state::Fence,
    subject_health::StreakChange,
    timers::LastTick,
    usage::Usage,
};

use crate::{
    route::Recipients,
    tick_health::{SkippedTicks, is_late},
};

/// An event held at least this long starts a new chain: such a chain cannot run away.
const NEW_CHAIN_MS: i64 = 60_000;

/// One transaction. It can be applied again when the store was unavailable.
pub(crate) struct Batch {
    pub(crate) emitter: EmitterId,
    pub(crate) user: UserId,
    /// The right of its owner to commit.
    pub(crate) fence: Fence,
    /// The number of this commit among those of its emitter.
    pub(crate) commit_no: i64,
    pub(crate) now_ms: i64,
    pub(crate) max_depth: u32,
    pub(crate) usage: Usage,
    pub(crate) events: Vec<EventRow>,
    pub(crate) released: Vec<ReleasedEvent>,
    /// Saved when it has changed.
    pub(crate) state: Option<StateRow>,
    pub(crate) writes: BTreeMap<String, Option<Box<RawValue>>>,
    pub(crate) logs: Vec<LogRow>,
    /// The last HTTP request, when it is to be stored.
    pub(crate) request: Option<Arc<str>>,
    pub(crate) runs: Vec<RunChange>,
    /// Inbox rows to delete.
    pub(crate) done: Vec<InvocationId>,
    /// Requests that are not in the inbox. Their clients are answered after the commit.
    pub(crate) direct: Vec<InvocationId>,
    /// Inbox rows whose attempts are counted.
    pub(crate) attempts: Vec<InvocationId>,
    /// Timers whose ticks ended.
    pub(crate) ticks: Vec<TickRow>,
    pub(crate) errors: u64,
    /// Failures in a row that began, went on or ended.
    pub(crate) streak: Option<StreakChange>,
    pub(crate) duplicates: u64,
    /// The spans whose effects it has.
    pub(crate) traces: Vec<TraceContext>,
    /// The reports that the rows come from.
    pub(crate) held: Vec<HeldReport>,
    /// Why the store rejected the effects, which are dropped.
    pub(crate) rejection: Option<StoreError>,
    /// Set when the outcomes were given up with their direct requests: the inbox rows that run again.
    pub(crate) given_up: Option<Vec<InvocationId>>,
}

/// A timer whose tick ended.
pub(crate) struct TickRow {
    pub(crate) prop: String,
    /// When it is due next.
    pub(crate) due_at: i64,
    pub(crate) last: LastTick,
    pub(crate) skipped: SkippedTicks,
}

pub(crate) struct StateRow {
    pub(crate) last_event: Option<EventId>,
    /// JSON.
    pub(crate) dedupe: Option<String>,
}

pub(crate) struct EventRow {
    pub(crate) id: EventId,
    pub(crate) channel: String,
    pub(crate) emit_id: EmitId,
    pub(crate) meta: String,
    /// As the API lists it.
    pub(crate) data: Box<RawValue>,
    /// As listeners get it, when that differs.
    pub(crate) listener_data: Option<Box<RawValue>>,
    pub(crate) audience: Audience,
    /// Length of the chain of events that caused it.
    pub(crate) depth: u32,
    pub(crate) held_until: Option<i64>,
    pub(crate) provenance: Option<Arc<Provenance>>,
    /// The span that emitted it.
    pub(crate) trace: Option<TraceContext>,
    /// Stored when the chain is too long for the sources and workflows that listen.
    pub(crate) loop_error: Option<Box<LoopError>>,
}

/// Who gets an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    Listeners,
    /// Only readers of the emitter's stream.
    Stream,
}

/// The error event, and for sources the log line, of an event that was not passed on.
pub(crate) struct LoopError {
    pub(crate) event: EventRow,
    pub(crate) log: Option<LogRow>,
}

/// A held event that is due, with its new id. Stream readers follow ids and would miss it under the old one.
pub(crate) struct ReleasedEvent {
    pub(crate) held: EventId,
    pub(crate) id: EventId,
    pub(crate) depth: u32,
}

pub(crate) struct LogRow {
    pub(crate) invocation: Option<InvocationId>,
    pub(crate) line: LogLine,
    pub(crate) emit_id: EmitId,
    pub(crate) depth: u32,
}

/// The change of one run.
pub(crate) struct RunChange {
    pub(crate) run: Run,
    pub(crate) kind: RunChangeKind,
}

pub(crate) enum RunChangeKind {
    /// The run started or continues. A step that waited may get exports from the request that resumed it.
    Started { resumed: Option<StepRecord> },
    /// A step ended; `end` when the run ended or waits with it.
    Step {
        record: StepRecord,
        sends: Vec<SendRow>,
        end: Option<RunEnd>,
    },
    /// The run ended without another step.
    Ended(RunEnd),
    /// The run that was to continue no longer exists.
    Forgotten,
}

/// The run ended or waits: sends of earlier steps, held until now, are released.
#[derive(Default)]
pub(crate) struct RunEnd {
    pub(crate) released: Vec<SendRow>,
}

/// The result of a transaction, beyond the batch itself.
pub(crate) struct Applied {
    pub(crate) recipients: Recipients,
    /// Events stored besides those of the batch; `None` when unknown.
    pub(crate) more_events: Option<Vec<StoredEvent>>,
    /// The spans that emitted held events which are due now, with the time since which they were held.
    pub(crate) holds: Vec<(TraceContext, i64)>,
    pub(crate) counts: Counts,
    /// The number of the emitter's definition; `None` when unknown.
    pub(crate) generation: Option<i64>,
}

impl Applied {
    /// Whether an earlier attempt had taken the number of the commit.
    pub(crate) fn was_committed_before(&self) -> bool {
        self.more_events.is_none()
    }
}

impl Batch {
    pub(crate) fn new(
        emitter: EmitterId,
        user: UserId,
        fence: Fence,
        commit_no: i64,
        now_ms: i64,
        max_depth: u32,
    ) -> Batch {
        Batch {
            emitter,
            user,
            fence,
            commit_no,
            now_ms,
            max_depth,
            usage: Usage::default(),
            events: Vec::new(),
            released: Vec::new(),
            state: None,
            writes: BTreeMap::new(),
            logs: Vec::new(),
            request: None,
            runs: Vec::new(),
            done: Vec::new(),
            direct: Vec::new(),
            attempts: Vec::new(),
            ticks: Vec::new(),
            errors: 0,
            streak: None,
            duplicates: 0,
            traces: Vec::new(),
            held: Vec::new(),
            rejection: None,
            given_up: None,
        }
    }

    /// The size of its events and key-value writes.
    pub(crate) fn stored_bytes(&self) -> usize {
        let events = self.events.iter();
        let events = events.map(|event| event.meta.len() + event.data.get().len());
        let writes = self.writes.iter();
        let writes =
            writes.map(|(key, json)| key.len() + json.as_ref().map_or(0, |json| json.get().len()));
        events.sum::<usize>() + writes.sum::<usize>()
    }

    /// The earliest time at which the scheduler has to act on this commit.
    pub(crate) fn earliest_due(&self) -> Option<i64> {
        let ticks = self.ticks.iter().map(|tick| tick.due_at);
        let held = self.events.iter().filter_map(|event| event.held_until);
        let waits = self.runs.iter().filter_map(|change| change.run.due_at);
        ticks.chain(held).chain(waits).min()
    }

    /// The earliest due time of the sends that this commit released.
    pub(crate) fn earliest_send(&self) -> Option<i64> {
        let sends = self.runs.iter().flat_map(RunChange::released_sends);
        sends
            .filter(|send| send.state == SendState::Pending)
            .filter_map(|send| send.due_at)
            .min()
    }

    /// The events that stream readers get, in the order of ids; `None` when unknown.
    pub(crate) fn published<'a>(&'a self, applied: &'a Applied) -> Option<Vec<NewEvent<'a>>> {
        let more = applied.more_events.as_ref()?;
        let mut events: Vec<NewEvent<'_>> =
            self.visible_events().map(EventRow::new_event).collect();
        if !more.is_empty() {
            events.extend(more.iter().map(StoredEvent::as_new));
            events.sort_by_key(|event| event.id);
        }
        Some(events)
    }

    /// Events of users, without errors and streams.
    pub(crate) fn user_events(&self) -> u64 {
        let users = |event: &&EventRow| ChannelFilter::AllButSystem.admits(&event.channel);
        self.events.iter().filter(users).count() as u64
    }

    /// A held event counts when it is due.
    pub(super) fn counts(&self, more: &[StoredEvent]) -> Counts {
        let channels = self.visible_events().map(|event| &event.channel);
        let channels = channels.chain(more.iter().map(|event| &event.channel));
        let events = channels.filter(|channel| ChannelFilter::AllButSystem.admits(channel));
        Counts {
            events: events.count() as u64,
            errors: self.errors,
            invocations: self.usage.invocations,
            compute_ms: self.usage.compute_ms,
            late_ticks: self.late_ticks(),
            skipped_ticks: self.skipped_ticks().total(),
        }
    }

    fn late_ticks(&self) -> u64 {
        let late = |tick: &&TickRow| is_late(tick.last.lateness_ms);
        self.ticks.iter().filter(late).count() as u64
    }

    /// The ticks that never ran because of those that ended.
    pub(crate) fn skipped_ticks(&self) -> SkippedTicks {
        let mut skipped = SkippedTicks::default();
        for tick in &self.ticks {
            skipped.add(tick.skipped);
        }
        skipped
    }

    fn visible_events(&self) -> impl Iterator<Item = &EventRow> {
        self.events
            .iter()
            .filter(|event| event.held_until.is_none())
    }
}

impl EventRow {
    /// Whether it is held long enough to start a new chain.
    pub(crate) fn starts_chain(&self, now_ms: i64) -> bool {
        self.held_until
            .is_some_and(|due| due - now_ms >= NEW_CHAIN_MS)
    }

    pub(super) fn new_event(&self) -> NewEvent<'_> {
        NewEvent {
            id: self.id,
            channel: &self.channel,
            emit_id: self.emit_id.as_str(),
            meta: &self.meta,
            data: self.data.get(),
        }
    }

    pub(super) fn stored(&self) -> StoredEvent {
        StoredEvent {
            id: self.id,
            channel: self.channel.clone(),
            emit_id: self.emit_id.as_str().to_owned(),
            meta: self.meta.clone(),
            data: self.data.get().to_owned(),
        }
    }

    pub(super) fn outgoing<'a>(&'a self, emitter: &'a EmitterId) -> Outgoing<'a> {
        Outgoing {
            emit_id: &self.emit_id,
            emitter,
            id: self.id,
            channel: &self.channel,
            meta: &self.meta,
            data: self.listener_data.as_ref().unwrap_or(&self.data).get(),
            trace: self.trace.as_ref(),
        }
    }
}

impl RunChange {
    /// Whether the run ended or waits with this change.
    pub(crate) fn is_end(&self) -> bool {
        match &self.kind {
            RunChangeKind::Step { end, .. } => end.is_some(),
            RunChangeKind::Ended(_) => true,
            RunChangeKind::Started { .. } | RunChangeKind::Forgotten => false,
        }
    }

    fn released_sends(&self) -> impl Iterator<Item = &SendRow> {
        let (own, end): (&[SendRow], _) = match &self.kind {
            RunChangeKind::Step { sends, end, .. } => (sends, end.as_ref()),
            RunChangeKind::Ended(end) => (&[], Some(end)),
            RunChangeKind::Started { .. } | RunChangeKind::Forgotten => (&[], None),
        };
        let released = end.map_or(&[][..], |end| &end.released);
        own.iter().chain(released)
    }
}
