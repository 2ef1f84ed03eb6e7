//! Deliveries as users see them, and their replays.

use sluice_model::{
    Cursor, DeliveryId, EmitId, EmitterId, EventId, TraceContext, UserId, WebhookId,
};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    deliveries::DeliveryState,
    delivery_pruning::remove_unused_payload,
    error::Result,
    params,
    row::{FromRow, Row},
    server_clock::AT_ONCE,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: DeliveryId,
    pub webhook_id: WebhookId,
    pub emitter_id: EmitterId,
    pub event_id: EventId,
    pub channel: String,
    /// The summary of the emit, else the beginning of the data.
    pub summary: String,
    pub state: DeliveryState,
    /// A list, as JSON.
    pub attempts: String,
    pub due_at: Option<i64>,
    pub created_at: i64,
    /// The event, as JSON, where it was asked for.
    pub event: Option<String>,
}

/// Whether to read the events too, which may be large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    WithEvent,
    WithoutEvent,
}

/// Which finished deliveries to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    Delivered,
    Failed,
    Either,
}

impl FromRow for Delivery {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Delivery {
            id: row.get(0)?,
            webhook_id: row.get(1)?,
            emitter_id: row.get(2)?,
            event_id: row.get(3)?,
            channel: row.get(4)?,
            state: row.get(5)?,
            attempts: row.get(6)?,
            due_at: row.get(7)?,
            created_at: row.get(8)?,
            event: row.get(9)?,
            summary: row.get(10)?,
        })
    }
}

/// The columns of a [`Delivery`]: deliveries `d` with their payloads `p`.
pub(crate) fn columns(detail: Detail) -> String {
    let event = match detail {
        Detail::WithEvent => "p.data",
        Detail::WithoutEvent => "NULL",
    };
    format!(
        "d.id, d.webhook_id, p.emitter_id, p.event_id, p.channel, d.state, d.attempts, \
         CASE d.due_at WHEN {AT_ONCE} THEN d.created_at ELSE d.due_at END, d.created_at, {event}, p.summary"
    )
}

/// One, with its event, if it is to a webhook of the user's.
pub fn get(c: &mut dyn Conn, user: &UserId, id: &DeliveryId) -> Result<Option<Delivery>> {
    let sql = format!(
        "SELECT {} FROM deliveries d JOIN payloads p ON p.id = d.payload_id \
         JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = ?1 AND w.user_id = ?2",
        columns(Detail::WithEvent)
    );
    query_opt(c, &sql, params![id, user])
}

/// The span that emitted the event of a delivery.
pub fn trace(c: &mut dyn Conn, id: &DeliveryId) -> Result<Option<TraceContext>> {
    query_one(
        c,
        "SELECT MIN(p.trace) FROM deliveries d JOIN payloads p ON p.id = d.payload_id WHERE d.id = ?1",
        params![id],
    )
}

/// Makes a delivery due at a time, as before its first attempt. It is a replay if the delivery was over.
pub fn replay(c: &mut dyn Conn, id: &DeliveryId, due_at: i64, now_ms: i64) -> Result<()> {
    c.execute(
        "UPDATE deliveries SET state = 'pending', due_at = ?2, tries = 0, updated_at = ?3, \
         replayed_at = CASE state WHEN 'pending' THEN replayed_at ELSE COALESCE(replayed_at, ?3) END \
         WHERE id = ?1",
        params![id, due_at, now_ms],
    )?;
    Ok(())
}

/// The pending delivery of a webhook that is attempted next.
pub fn next_pending(c: &mut dyn Conn, webhook: &WebhookId) -> Result<Option<DeliveryId>> {
    // An index has first attempts and retries in their order, however many there are.
    query_one(
        c,
        "SELECT MIN(id) FROM (SELECT id FROM (SELECT id FROM deliveries \
         WHERE webhook_id = ?1 AND due_at = 0 ORDER BY id LIMIT 1) next_first \
         UNION ALL SELECT id FROM (SELECT id FROM deliveries \
         WHERE webhook_id = ?1 AND due_at > 0 ORDER BY due_at, id LIMIT 1) next_later) next_both",
        params![webhook],
    )
}

/// Makes up to `batch` retries of a webhook due now. Returns how many.
pub fn hasten_batch(c: &mut dyn Conn, webhook: &WebhookId, now_ms: i64, batch: u32) -> Result<u64> {
    c.execute(
        "UPDATE deliveries SET due_at = ?2, updated_at = ?2 WHERE id IN (SELECT id FROM deliveries \
         WHERE webhook_id = ?1 AND due_at > ?2 ORDER BY due_at, id LIMIT ?3)",
        params![webhook, now_ms, batch],
    )
}

/// Which deliveries to make due again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    pub which: Finished,
    pub since: i64,
    pub until: i64,
    /// Whether to read the spans that emitted the events.
    pub with_traces: bool,
}

/// The progress of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayProgress {
    pub count: u64,
    /// The spans that emitted the events, if they are read.
    pub traces: Vec<TraceContext>,
    /// Where the next batch goes on; none when this was the last.
    pub next: Option<Cursor>,
}

/// Replays the oldest `batch` of a webhook's deliveries after `from`. A position is kept, because those that are replayed
/// may be over again before the next batch.
pub fn replay_batch(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    replay: &Replay,
    from: Option<&Cursor>,
    batch: u32,
    now_ms: i64,
) -> Result<ReplayProgress> {
    // Literals, so that both databases use the partial index on failed deliveries.
    let over = match replay.which {
        Finished::Delivered => "state = 'delivered'",
        Finished::Failed => "state = 'failed'",
        Finished::Either => "state IN ('delivered', 'failed')",
    };
    let trace = if replay.with_traces {
        "(SELECT trace FROM payloads p WHERE p.id = payload_id)"
    } else {
        "NULL"
    };
    let (from_ms, from_id) = from.map_or((replay.since, ""), |from| (from.at_ms, &from.id));
    let sql = format!(
        "UPDATE deliveries SET state = 'pending', due_at = ?1, tries = 0, updated_at = ?1, \
         replayed_at = COALESCE(replayed_at, ?1) \
         WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = ?2 AND {over} \
         AND (created_at, id) > (?3, ?4) AND created_at <= ?5 ORDER BY created_at, id LIMIT ?6) \
         RETURNING created_at, id, {trace}"
    );
    let params = params![now_ms, webhook, from_ms, from_id, replay.until, batch];
    let replayed: Vec<Replayed> = query_all(c, &sql, params)?;
    let count = replayed.len() as u64;
    let last = replayed.iter().map(|one| (one.created_at, &one.id)).max();
    let next = last.filter(|_| count >= u64::from(batch));
    Ok(ReplayProgress {
        count,
        next: next.map(|(at_ms, id)| Cursor {
            at_ms,
            id: id.as_str().to_owned(),
        }),
        traces: replayed.into_iter().filter_map(|one| one.trace).collect(),
    })
}

struct Replayed {
    created_at: i64,
    id: DeliveryId,
    trace: Option<TraceContext>,
}

impl FromRow for Replayed {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Replayed {
            created_at: row.get(0)?,
            id: row.get(1)?,
            trace: row.get(2)?,
        })
    }
}

/// Removes up to `batch` deliveries of a webhook, and payloads that no other delivery has. Returns how many deliveries.
pub fn remove_batch(c: &mut dyn Conn, webhook: &WebhookId, batch: u32) -> Result<u64> {
    let removed: Vec<EmitId> = query_all(
        c,
        "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = ?1 \
         ORDER BY created_at, id LIMIT ?2) RETURNING payload_id",
        params![webhook, batch],
    )?;
    for payload in &removed {
        remove_unused_payload(c, payload)?;
    }
    Ok(removed.len() as u64)
}
