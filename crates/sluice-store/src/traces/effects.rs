//! The effects of events and runs: deliveries, runs and sends. And the log lines of an invocation.

use sluice_model::{DeliveryId, EmitId, EmitterId, InvocationId, UserId, WorkflowId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    delivery_history::{Delivery, Detail, columns},
    error::Result,
    params,
    row::{FromRow, Row},
    runs::{HEAD_COLUMNS, Run},
    sends::{SendKind, SendState},
};

/// The newest log lines of an emitter among which those of an invocation are looked for.
pub const LOG_LINES: u32 = 2000;

/// A delivery with the name of its webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedDelivery {
    pub delivery: Delivery,
    /// Its URL if it has no name.
    pub webhook: String,
    pub payload_id: EmitId,
    /// When it was replayed first. Later attempts are those of replays.
    pub replayed_at: Option<i64>,
}

impl FromRow for TracedDelivery {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(TracedDelivery {
            delivery: Delivery::from_row(row)?,
            webhook: row.get(11)?,
            payload_id: row.get(12)?,
            replayed_at: row.get(13)?,
        })
    }
}

/// The deliveries from one id to another, both included.
fn deliveries_between(
    c: &mut dyn Conn,
    user: &UserId,
    (first, last): (&str, &str),
    limit: u32,
) -> Result<Vec<TracedDelivery>> {
    let sql = format!(
        "SELECT {}, COALESCE(w.name, w.url), d.payload_id, d.replayed_at FROM deliveries d \
         JOIN payloads p ON p.id = d.payload_id JOIN webhooks w ON w.id = d.webhook_id \
         WHERE d.id >= ?1 AND d.id <= ?2 AND w.user_id = ?3 ORDER BY d.id LIMIT ?4",
        columns(Detail::WithoutEvent)
    );
    query_all(c, &sql, params![first, last, user, limit])
}

/// The deliveries of an event, by its emit id.
pub fn deliveries(
    c: &mut dyn Conn,
    user: &UserId,
    emit_id: &str,
    limit: u32,
) -> Result<Vec<TracedDelivery>> {
    let first = format!("{}{emit_id}", DeliveryId::PREFIX);
    let last = format!("{first}~");
    deliveries_between(c, user, (&first, &last), limit)
}

pub fn delivery(
    c: &mut dyn Conn,
    user: &UserId,
    id: &DeliveryId,
) -> Result<Option<TracedDelivery>> {
    let found = deliveries_between(c, user, (id.as_str(), id.as_str()), 1)?;
    Ok(found.into_iter().next())
}

/// A run without its event.
pub fn run(c: &mut dyn Conn, workflow: &WorkflowId, id: &InvocationId) -> Result<Option<Run>> {
    let sql = format!("SELECT {HEAD_COLUMNS}, 'null' FROM runs WHERE workflow_id = ?1 AND id = ?2");
    query_opt(c, &sql, params![workflow, id])
}

/// The runs of the user's workflows that have an id: that of their event. Without their events.
pub fn runs_of(c: &mut dyn Conn, user: &UserId, id: &InvocationId, limit: u32) -> Result<Vec<Run>> {
    let sql = format!(
        "SELECT {HEAD_COLUMNS}, 'null' FROM runs WHERE id = ?2 AND workflow_id IN \
         (SELECT w.id FROM workflows w WHERE w.user_id = ?1) ORDER BY workflow_id LIMIT ?3"
    );
    query_all(c, &sql, params![user, id, limit])
}

/// The ids of the replays of a run, oldest first.
pub fn replays_of_run(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    id: &InvocationId,
    limit: u32,
) -> Result<Vec<InvocationId>> {
    query_all(
        c,
        "SELECT id FROM runs WHERE workflow_id = ?1 AND replay_of = ?2 ORDER BY id LIMIT ?3",
        params![workflow, id, limit],
    )
}

/// A send with its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedSend {
    pub id: EmitId,
    pub step: String,
    pub kind: SendKind,
    pub state: SendState,
    pub tries: u32,
    pub result: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
}

impl FromRow for TracedSend {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(TracedSend {
            id: row.get(0)?,
            step: row.get(1)?,
            kind: row.get(2)?,
            state: row.get(3)?,
            tries: row.get(4)?,
            result: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
        })
    }
}

/// The sends of a run, in the order of sending.
pub fn sends(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    run: &InvocationId,
    limit: u32,
) -> Result<Vec<TracedSend>> {
    query_all(
        c,
        "SELECT id, step, kind, state, tries, result, created_at, updated_at FROM sends \
         WHERE workflow_id = ?1 AND run_id = ?2 ORDER BY id LIMIT ?3",
        params![workflow, run, limit],
    )
}

/// The times of the first and last log line of an invocation, if it is among the newest ones.
pub fn logged(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    invocation: &InvocationId,
) -> Result<Option<(i64, i64)>> {
    let (first, last): (Option<i64>, Option<i64>) = query_one(
        c,
        "SELECT MIN(ts), MAX(ts) FROM (SELECT invocation_id, ts FROM logs WHERE emitter_id = ?1 \
         ORDER BY seq DESC LIMIT ?3) newest WHERE invocation_id = ?2",
        params![emitter, invocation, LOG_LINES],
    )?;
    Ok(first.zip(last))
}
