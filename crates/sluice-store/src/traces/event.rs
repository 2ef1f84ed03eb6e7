//! Events with their causes.

use sluice_model::{EmitId, EmitterId, EventAddress, EventId, InvocationId, TraceContext, UserId};

use super::bounds::{COMMIT_MS, EMITTERS};
use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    event_id_row::EventIdRow,
    events::LOWEST,
    params,
    provenance::{self, Provenance},
    row::{FromRow, Row},
};

/// Rows that are read at a time in search of the events of an invocation.
const PAGE: u32 = 500;

/// An event without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedEvent {
    pub address: EventAddress,
    pub channel: String,
    pub emit_id: String,
    /// JSON.
    pub meta: String,
    pub provenance: Option<Provenance>,
}

impl FromRow for TracedEvent {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(TracedEvent {
            address: EventAddress {
                id: EventIdRow::from_row(row)?.0,
                emitter: row.get(2)?,
            },
            channel: row.get(3)?,
            emit_id: row.get(4)?,
            meta: row.get(5)?,
            provenance: provenance::read(row, 6)?,
        })
    }
}

fn select() -> String {
    let provenance = provenance::COLUMNS;
    format!("SELECT ms, seq, emitter_id, channel, emit_id, meta, {provenance} FROM events")
}

pub fn event(c: &mut dyn Conn, address: &EventAddress) -> Result<Option<TracedEvent>> {
    let EventAddress { emitter, id } = address;
    let sql = format!(
        "{} WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3",
        select()
    );
    query_opt(c, &sql, params![emitter, id.ms, id.seq])
}

/// The events of the user's emitters that have an id, which is unique for one emitter only.
pub fn events_with_id(
    c: &mut dyn Conn,
    user: &UserId,
    id: EventId,
    limit: u32,
) -> Result<Vec<TracedEvent>> {
    let sql = format!(
        "{} WHERE emitter_id IN {EMITTERS} AND ms = ?2 AND seq = ?3 ORDER BY emitter_id LIMIT ?4",
        select()
    );
    query_all(c, &sql, params![user, id.ms, id.seq, limit])
}

/// The event that was emitted under an id, if it did not wait for its time.
pub fn event_of_emit(
    c: &mut dyn Conn,
    user: &UserId,
    emit: &EmitId,
) -> Result<Option<TracedEvent>> {
    let at = emit.time_ms();
    let sql = format!(
        "{} WHERE emitter_id IN {EMITTERS} AND ms >= ?2 AND ms <= ?3 AND emit_id = ?4 LIMIT 1",
        select()
    );
    query_opt(c, &sql, params![user, at, at + COMMIT_MS, emit])
}

/// The events that a commit at this time stored for an invocation, oldest first.
pub fn emitted_at(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    invocation: &InvocationId,
    at_ms: i64,
    limit: u32,
) -> Result<Vec<TracedEvent>> {
    let sql = format!(
        "{} WHERE emitter_id = ?1 AND ms >= ?2 AND ms <= ?3 AND invocation_id = ?4 \
         ORDER BY ms, seq LIMIT ?5",
        select()
    );
    let params = params![emitter, at_ms, at_ms + COMMIT_MS, invocation, limit];
    query_all(c, &sql, params)
}

/// The contexts of events of an emitter, of which the first is the oldest. Events without a trace have none.
pub fn contexts(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    ids: &[EventId],
) -> Result<Vec<TraceContext>> {
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else {
        return Ok(Vec::new());
    };
    let found: Vec<Traced> = query_all(
        c,
        "SELECT ms, seq, trace FROM events WHERE emitter_id = ?1 AND (ms, seq) >= (?2, ?3) \
         AND (ms, seq) <= (?4, ?5) ORDER BY ms, seq",
        params![emitter, first.ms, first.seq, last.ms, last.seq],
    )?;
    let found = found.into_iter();
    let wanted = found.filter(|one| ids.binary_search(&one.id).is_ok());
    Ok(wanted.filter_map(|one| one.context).collect())
}

struct Traced {
    id: EventId,
    context: Option<TraceContext>,
}

impl FromRow for Traced {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Traced {
            id: EventIdRow::from_row(row)?.0,
            context: row.get(2)?,
        })
    }
}

/// The events of an invocation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// Oldest first.
    pub events: Vec<TracedEvent>,
    /// Whether there may be some beyond the limits.
    pub is_cut: bool,
    /// How many events of the source were looked at to find them.
    pub scanned: u32,
}

/// The first `limit` events that an invocation of a source emitted, among `scan` events from its acceptance on. One commit
/// stored them, one after another.
pub fn emitted_by(
    c: &mut dyn Conn,
    source: &EmitterId,
    invocation: &InvocationId,
    scan: u32,
    limit: u32,
) -> Result<Emitted> {
    let mut after = EventId {
        ms: invocation.time_ms(),
        ..LOWEST
    };
    let mut scanned = 0;
    while scanned < scan {
        let page: Vec<Candidate> = query_all(
            c,
            "SELECT ms, seq, invocation_id FROM events WHERE emitter_id = ?1 \
             AND (ms, seq) > (?2, ?3) ORDER BY ms, seq LIMIT ?4",
            params![source, after.ms, after.seq, PAGE],
        )?;
        scanned += PAGE;
        let first = page.iter().find(|one| one.invocation == Some(*invocation));
        if let Some(Candidate { id, .. }) = first {
            let found = from(c, source, invocation, *id, limit)?;
            return Ok(Emitted { scanned, ..found });
        }
        let Some(last) = page.last().filter(|_| page.len() == PAGE as usize) else {
            return Ok(Emitted {
                scanned,
                ..Emitted::default()
            });
        };
        after = last.id;
    }
    Ok(Emitted {
        events: Vec::new(),
        is_cut: true,
        scanned,
    })
}

/// The events of an invocation from the first one on.
fn from(
    c: &mut dyn Conn,
    source: &EmitterId,
    invocation: &InvocationId,
    first: EventId,
    limit: u32,
) -> Result<Emitted> {
    let sql = format!(
        "{} WHERE emitter_id = ?1 AND (ms, seq) >= (?2, ?3) ORDER BY ms, seq LIMIT ?4",
        select()
    );
    let params = params![source, first.ms, first.seq, limit.saturating_add(1)];
    let mut events: Vec<TracedEvent> = query_all(c, &sql, params)?;
    let is_own = |event: &TracedEvent| {
        let provenance = event.provenance.as_ref();
        provenance.is_some_and(|provenance| provenance.invocation == *invocation)
    };
    let own = events.iter().take_while(|event| is_own(event)).count();
    events.truncate(own.min(limit as usize));
    Ok(Emitted {
        events,
        is_cut: own > limit as usize,
        scanned: 0,
    })
}

struct Candidate {
    id: EventId,
    invocation: Option<InvocationId>,
}

impl FromRow for Candidate {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Candidate {
            id: EventIdRow::from_row(row)?.0,
            invocation: row.get(2)?,
        })
    }
}
