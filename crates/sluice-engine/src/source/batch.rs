//! The rows of one transaction: events, state, key-value store, logs, usage, the next tick, and the
//! acknowledgement of what triggered it all.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sluice_model::{EmitId, EventId, InvocationId, SourceId, UserId};
use sluice_runtime::{LogLevel, LogLine};
use sluice_store::{
    Conn, StoreError,
    activity::Counts,
    deliveries::Outgoing,
    events::{self, ChannelFilter, NewEvent, StoredEvent},
    held_events::{self, HeldEvent},
    inbox, kv,
    logs::NewLog,
    routes::ERROR_CHANNEL,
    state, timers,
    usage::{self, Usage},
};

use crate::{
    activity,
    context::Context,
    owning::Rows,
    retention::Stored,
    routing::{Passed, Reached, Router},
};

/// An event that was held this long begins a new chain of events: such a chain cannot run away.
const NEW_CHAIN_MS: i64 = 60_000;

/// One transaction's worth of rows. It can be applied again when the store was unavailable.
pub(super) struct Batch {
    pub(super) source: SourceId,
    pub(super) user: UserId,
    pub(super) now_ms: i64,
    pub(super) max_depth: u32,
    pub(super) day: i64,
    pub(super) usage: Usage,
    pub(super) events: Vec<EventRow>,
    pub(super) released: Vec<Released>,
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
    /// How many events in a row led to it, each caused by the one before.
    pub(super) depth: u32,
    pub(super) held_until: Option<i64>,
    pub(super) too_deep: Option<Box<TooDeep>>,
}

/// What is stored when an event may not be passed on to the sources that listen to it.
pub(super) struct TooDeep {
    pub(super) event: EventRow,
    pub(super) log: LogRow,
}

/// A held event whose time has come, and its new id.
pub(super) struct Released {
    pub(super) held: EventId,
    pub(super) id: EventId,
    pub(super) depth: u32,
}

pub(super) struct LogRow {
    pub(super) invocation: Option<InvocationId>,
    pub(super) line: LogLine,
    pub(super) emit_id: EmitId,
    pub(super) depth: u32,
}

/// What the transaction of a batch did beyond what the batch says.
pub(super) struct Applied {
    pub(super) reached: Reached,
    /// Events that it stored besides those of the batch; none when that is not known.
    pub(super) also_stored: Option<Vec<StoredEvent>>,
    pub(super) counts: Counts,
}

impl Rows for Batch {
    type Applied = Applied;

    fn apply(&self, c: &mut dyn Conn) -> Result<Applied, StoreError> {
        let source = &self.source;
        let mut router = self.router(c)?;
        let mut also_stored = Vec::new();
        for event in &self.events {
            self.store(c, &mut router, event, &mut also_stored)?;
        }
        for released in &self.released {
            also_stored.extend(self.release(c, &mut router, released)?);
        }
        let counts = self.counts(&also_stored);
        if self.state_changed {
            let emitted_at = (counts.events > 0).then_some(self.now_ms);
            state::save_raw(
                c,
                source,
                self.last_event,
                self.dedupe.as_deref(),
                emitted_at,
            )?;
        }
        for (key, value) in &self.writes {
            match value {
                Some(json) => kv::set(c, source, key, json.get())?,
                None => kv::delete(c, source, key)?,
            }
        }
        for row in &self.logs {
            row.store(c, &mut router)?;
        }
        self.acknowledge(c)?;
        activity::count(c, &self.user, source, self.now_ms, counts)?;
        if self.usage.invocations > 0 {
            usage::add(c, &self.user, self.day, self.usage)?;
        }
        Ok(Applied {
            reached: router.into_reached(),
            also_stored: Some(also_stored),
            counts,
        })
    }

    /// When it was kept, what it acknowledges is gone.
    fn if_kept(&self, c: &mut dyn Conn) -> Result<Option<Applied>, StoreError> {
        match self.done.first() {
            Some(id) if !inbox::contains(c, &self.source, id)? => Ok(Some(Applied {
                reached: self.router(c)?.everybody(),
                also_stored: None,
                counts: self.counts(&[]),
            })),
            _ => Ok(None),
        }
    }

    /// The acknowledgements, and a line that says so.
    fn without_effects(self, why: &str, context: &Context) -> Batch {
        let line = LogLine {
            ts: self.now_ms,
            kind: "error".to_owned(),
            level: LogLevel::Error,
            message: format!("what the invocation did could not be stored: {why}"),
        };
        Batch {
            events: Vec::new(),
            released: Vec::new(),
            state_changed: false,
            last_event: None,
            dedupe: None,
            writes: BTreeMap::new(),
            logs: vec![LogRow {
                invocation: self.done.first().copied(),
                line,
                emit_id: context.infra.ids.emit(),
                depth: self.max_depth,
            }],
            ..self
        }
    }
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

    pub(super) fn rows(&self) -> Stored {
        Stored {
            events: self.events.len() as u64,
            logs: self.logs.len() as u64,
        }
    }

    pub(super) fn earliest_due(&self) -> Option<i64> {
        let held = self.events.iter().filter_map(|event| event.held_until);
        self.due.iter().map(|(_, due)| *due).chain(held).min()
    }

    /// What readers of the source are to hear of, in the order of ids; none when that is not known.
    pub(super) fn emitted<'a>(&'a self, applied: &'a Applied) -> Option<Vec<NewEvent<'a>>> {
        let also_stored = applied.also_stored.as_ref()?;
        let now = self.events.iter().filter(|row| row.held_until.is_none());
        let mut events: Vec<NewEvent<'_>> = now.map(EventRow::new_event).collect();
        if !also_stored.is_empty() {
            events.extend(also_stored.iter().map(StoredEvent::as_new));
            events.sort_by_key(|event| event.id);
        }
        Some(events)
    }

    fn router(&self, c: &mut dyn Conn) -> Result<Router<'_>, StoreError> {
        Router::load(c, &self.user, &self.source, self.now_ms, self.max_depth)
    }

    fn store(
        &self,
        c: &mut dyn Conn,
        router: &mut Router<'_>,
        event: &EventRow,
        also_stored: &mut Vec<StoredEvent>,
    ) -> Result<(), StoreError> {
        events::insert(c, &self.source, &event.new_event())?;
        let passed = match event.held_until {
            None => router.pass_on(c, &event.outgoing(&self.source), event.depth)?,
            Some(due_at) => {
                let begins = event.begins_a_chain(self.now_ms);
                let held = HeldEvent {
                    emitter_id: self.source.clone().into(),
                    id: event.id,
                    due_at,
                    depth: if begins { 0 } else { event.depth },
                };
                held_events::insert(c, &held)?;
                router.prospect(&event.channel, held.depth)
            }
        };
        if let (Passed::ToWebhooks, Some(instead)) = (passed, &event.too_deep) {
            let TooDeep { event, log } = &**instead;
            self.store(c, router, event, also_stored)?;
            log.store(c, router)?;
            also_stored.push(event.stored());
        }
        Ok(())
    }

    /// Gives a held event its new id and passes it on; nothing when it was deleted meanwhile.
    fn release(
        &self,
        c: &mut dyn Conn,
        router: &mut Router<'_>,
        released: &Released,
    ) -> Result<Option<StoredEvent>, StoreError> {
        let Some(mut event) = events::take(c, &self.source, released.held)? else {
            return Ok(None);
        };
        event.id = released.id;
        held_events::remove(c, &self.source, released.held)?;
        events::insert(c, &self.source, &event.as_new())?;
        let emit_id = EmitId::parse(&event.emit_id)
            .ok_or_else(|| StoreError::Corrupt(format!("the emit id of {}", event.id)))?;
        let outgoing = Outgoing {
            emit_id: &emit_id,
            emitter: &self.source,
            id: event.id,
            channel: &event.channel,
            data: &event.data,
        };
        router.pass_on(c, &outgoing, released.depth)?;
        Ok(Some(event))
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
        Ok(())
    }

    /// An event that is held counts when its time has come.
    fn counts(&self, also_stored: &[StoredEvent]) -> Counts {
        let now = self.events.iter().filter(|row| row.held_until.is_none());
        let channels = now.map(|row| &row.channel);
        let channels = channels.chain(also_stored.iter().map(|event| &event.channel));
        let events = channels.filter(|channel| ChannelFilter::AllButSystem.admits(channel));
        Counts {
            events: events.count() as u64,
            errors: self.failed,
            invocations: self.usage.invocations,
            compute_ms: self.usage.compute_ms,
        }
    }
}

impl EventRow {
    /// Held long enough, an event does not count as caused by what led to it.
    pub(super) fn begins_a_chain(&self, now_ms: i64) -> bool {
        self.held_until
            .is_some_and(|due| due - now_ms >= NEW_CHAIN_MS)
    }

    fn new_event(&self) -> NewEvent<'_> {
        NewEvent {
            id: self.id,
            channel: &self.channel,
            emit_id: self.emit_id.as_str(),
            meta: &self.meta,
            data: self.data.get(),
        }
    }

    fn outgoing<'a>(&'a self, source: &'a SourceId) -> Outgoing<'a> {
        Outgoing {
            emit_id: &self.emit_id,
            emitter: source,
            id: self.id,
            channel: &self.channel,
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
}

impl LogRow {
    fn store(&self, c: &mut dyn Conn, router: &mut Router<'_>) -> Result<(), StoreError> {
        let LogRow {
            invocation,
            line,
            emit_id,
            depth,
        } = self;
        let row = NewLog {
            invocation: invocation.as_ref().map(InvocationId::as_str),
            ts: line.ts,
            kind: &line.kind,
            level: line.level.as_str(),
            message: &line.message,
        };
        router.log(c, &row, emit_id, *depth)
    }
}
