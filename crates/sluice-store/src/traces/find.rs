//! Finding the place that an id names.

use sluice_model::{EmitId, EmitterId, EventAddress, InvocationId, UserId, WorkflowId};

use super::bounds::EMITTERS;
use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    event_id_row::EventIdRow,
    params,
    row::{FromRow, Row},
};

/// Events and log lines of each emitter among which an invocation is looked for.
const ROWS_EACH: u32 = 500;

/// Whether an emitter is the user's.
pub fn owns(c: &mut dyn Conn, user: &UserId, emitter: &EmitterId) -> Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {EMITTERS} s WHERE s.id = ?2)");
    query_one(c, &sql, params![user, emitter])
}

/// The event that deliveries with this payload carry.
pub fn payload(c: &mut dyn Conn, user: &UserId, id: &EmitId) -> Result<Option<EventAddress>> {
    let sql = format!(
        "SELECT emitter_id, event_id FROM payloads WHERE id = ?2 AND emitter_id IN {EMITTERS}"
    );
    let found: Option<(EmitterId, _)> = query_opt(c, &sql, params![user, id])?;
    Ok(found.map(|(emitter, id)| EventAddress { emitter, id }))
}

/// The emitter in which an invocation waits, emitted something or wrote log lines.
pub fn emitter_of(
    c: &mut dyn Conn,
    user: &UserId,
    invocation: &InvocationId,
) -> Result<Option<EmitterId>> {
    let waiting =
        format!("SELECT emitter_id FROM inbox WHERE emitter_id IN {EMITTERS} AND id = ?2 LIMIT 1");
    let waiting = query_opt(c, &waiting, params![user, invocation])?;
    if waiting.is_some() {
        return Ok(waiting);
    }
    let emitted = format!(
        "SELECT s.id FROM {EMITTERS} s WHERE EXISTS (SELECT 1 FROM (SELECT e.invocation_id FROM events e \
         WHERE e.emitter_id = s.id AND e.ms >= ?3 ORDER BY e.ms, e.seq LIMIT ?4) near \
         WHERE near.invocation_id = ?2) LIMIT 1"
    );
    let params = params![user, invocation, invocation.time_ms(), ROWS_EACH];
    let emitted = query_opt(c, &emitted, params)?;
    if emitted.is_some() {
        return Ok(emitted);
    }
    let logged = format!(
        "SELECT s.id FROM {EMITTERS} s WHERE EXISTS (SELECT 1 FROM (SELECT l.invocation_id FROM logs l \
         WHERE l.emitter_id = s.id ORDER BY l.seq DESC LIMIT ?3) newest \
         WHERE newest.invocation_id = ?2) LIMIT 1"
    );
    query_opt(c, &logged, params![user, invocation, ROWS_EACH])
}

/// The members of a trace of OpenTelemetry.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InTrace {
    pub events: Vec<EventAddress>,
    pub runs: Vec<(WorkflowId, InvocationId)>,
}

struct AddressRow(EventAddress);

impl FromRow for AddressRow {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(AddressRow(EventAddress {
            id: EventIdRow::from_row(row)?.0,
            emitter: row.get(2)?,
        }))
    }
}

/// Events and runs of the user with this trace id, `limit` of each.
pub fn in_trace(c: &mut dyn Conn, user: &UserId, trace: u128, limit: u32) -> Result<InTrace> {
    // Stored contexts begin with the version and the id of their trace.
    let (first, last) = (format!("00-{trace:032x}-"), format!("00-{trace:032x}."));
    let params = params![user, &first, &last, limit];
    let events = format!(
        "SELECT ms, seq, emitter_id FROM events WHERE trace >= ?2 AND trace < ?3 \
         AND emitter_id IN {EMITTERS} ORDER BY ms, seq LIMIT ?4"
    );
    let events: Vec<AddressRow> = query_all(c, &events, params)?;
    let runs = "SELECT workflow_id, id FROM runs WHERE trace >= ?2 AND trace < ?3 \
         AND workflow_id IN (SELECT w.id FROM workflows w WHERE w.user_id = ?1) ORDER BY id LIMIT ?4";
    Ok(InTrace {
        events: events
            .into_iter()
            .map(|AddressRow(address)| address)
            .collect(),
        runs: query_all(c, runs, params)?,
    })
}

/// The run that a send belongs to.
pub fn run_of_send(
    c: &mut dyn Conn,
    user: &UserId,
    send: &EmitId,
) -> Result<Option<(WorkflowId, InvocationId)>> {
    query_opt(
        c,
        "SELECT workflow_id, run_id FROM sends WHERE id = ?1 AND user_id = ?2 AND run_id IS NOT NULL",
        params![send, user],
    )
}
