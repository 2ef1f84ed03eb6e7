//! The outbox: events on their way to webhooks, with the attempts that were made.

mod new;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sluice_model::{DeliveryId, EmitterId, EventId, TraceContext, WebhookId};

use crate::{
    batch_limit::BatchLimit,
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    id_list::{IdList, ids_in},
    nodes, params,
    row::{FromRow, Row, to_json},
    server_clock::AT_ONCE,
    text_enum::text_enum,
    webhooks,
};

pub use self::new::{Outgoing, insert, insert_all, insert_payload, insert_payloads};

/// Attempts that are kept for one delivery. Older ones are dropped.
const ATTEMPTS_KEPT: usize = 25;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is attempted when it is due.
    Pending,
    Delivered,
    /// No attempt is left. It can be replayed.
    Failed,
}

text_enum!(DeliveryState {
    Pending = "pending",
    Delivered = "delivered",
    Failed = "failed",
});

/// One attempt to deliver, as it is stored and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    pub at: i64,
    /// The receiver's answer, if there was one.
    pub status: Option<u16>,
    pub latency_ms: u64,
    /// The beginning of the answer's body.
    pub response: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// A delivery that is due, with the content to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: DeliveryId,
    /// [`AT_ONCE`] before the first attempt.
    pub due_at: i64,
    pub tries: u32,
    pub attempts: Vec<Attempt>,
    pub created_at: i64,
    pub emitter: EmitterId,
    pub event_id: EventId,
    pub channel: String,
    /// JSON.
    pub data: String,
    /// The span that emitted the event.
    pub trace: Option<TraceContext>,
}

impl Due {
    /// The time since which it is due.
    pub fn due_since(&self) -> i64 {
        match self.due_at {
            AT_ONCE => self.created_at,
            time => time,
        }
    }
}

impl FromRow for Due {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Due {
            id: row.get(0)?,
            due_at: row.get(1)?,
            tries: row.get(2)?,
            attempts: row.json(3)?,
            created_at: row.get(4)?,
            emitter: row.get(5)?,
            event_id: row.get(6)?,
            channel: row.get(7)?,
            data: row.get(8)?,
            trace: row.get(9)?,
        })
    }
}

/// The deliveries that are due for a webhook and not in hand, in the order of their ids, which is that of the events. Sizes are
/// read before payloads, so that a few huge ones do not fill the memory. One at least is read, if there is any.
pub fn due(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    now_ms: i64,
    in_hand: &BTreeSet<DeliveryId>,
    limit: BatchLimit,
) -> Result<Vec<Due>> {
    let in_hand_count = u32::try_from(in_hand.len()).unwrap_or(u32::MAX);
    let mut found = due_sizes(c, webhook, now_ms, limit.rows.saturating_add(in_hand_count))?;
    found.sort();
    found.retain(|(id, _)| !in_hand.contains(id));
    found.truncate(limit.rows as usize);
    let fitting = limit.fitting(found.iter().map(|(_, bytes)| *bytes));
    let fitting = found.into_iter().take(fitting as usize);
    let ids: Vec<DeliveryId> = fitting.map(|(id, _)| id).collect();
    with_payloads(c, &ids)
}

/// The first deliveries of a webhook that are due, with the sizes of their payloads.
fn due_sizes(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    now_ms: i64,
    limit: u32,
) -> Result<Vec<(DeliveryId, u64)>> {
    // First attempts by their ids, and others by their times: an index has each in its order, however many are due.
    query_all(
        c,
        "SELECT d.id, CAST(octet_length(p.data) AS BIGINT) \
         FROM (SELECT id FROM (SELECT id FROM (SELECT id FROM deliveries \
         WHERE webhook_id = ?1 AND due_at = 0 ORDER BY id LIMIT ?3) page_first \
         UNION ALL SELECT id FROM (SELECT id FROM deliveries \
         WHERE webhook_id = ?1 AND due_at > 0 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3) page_later) \
         page_both ORDER BY id LIMIT ?3) page CROSS JOIN deliveries d CROSS JOIN payloads p \
         WHERE d.id = page.id AND p.id = d.payload_id",
        params![webhook, now_ms, limit],
    )
}

/// Deliveries with their payloads, in the order of their ids.
fn with_payloads(c: &mut dyn Conn, ids: &[DeliveryId]) -> Result<Vec<Due>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT d.id, d.due_at, d.tries, d.attempts, d.created_at, p.emitter_id, p.event_id, \
         p.channel, p.data, p.trace FROM deliveries d CROSS JOIN payloads p \
         WHERE d.id IN {} AND p.id = d.payload_id",
        ids_in(c.dialect(), "?1")
    );
    let mut due: Vec<Due> = query_all(c, &sql, params![&IdList::new(ids)?])?;
    due.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(due)
}

/// A delivery with its content, due or not.
pub fn with_payload(c: &mut dyn Conn, id: &DeliveryId) -> Result<Option<Due>> {
    Ok(with_payloads(c, std::slice::from_ref(id))?.pop())
}

/// After the clock was set back: retries that were scheduled later than `now` get the same backoff from `now` on, `limit` of
/// them. Returns how many there were. Repeating the call changes nothing. An attempt
/// that is in flight and fails is retried sooner than planned.
pub fn clamp(c: &mut dyn Conn, now_ms: i64, limit: u32) -> Result<u64> {
    // Webhook by webhook: there is an index on the due times of each one's deliveries, none on those of all.
    c.execute(
        "UPDATE deliveries SET due_at = ?1 + (due_at - updated_at), updated_at = ?1 \
         WHERE id IN (SELECT d.id FROM webhooks w CROSS JOIN deliveries d \
         WHERE d.webhook_id = w.id AND d.due_at > ?1 AND d.updated_at > ?1 LIMIT ?2)",
        params![now_ms, limit],
    )
}

/// When the next delivery of a webhook is due that is not due yet.
pub fn next_due(c: &mut dyn Conn, webhook: &WebhookId, now_ms: i64) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM deliveries WHERE webhook_id = ?1 AND due_at > ?2",
        params![webhook, now_ms],
    )
}

/// Active webhooks of all users that have deliveries which are due by `until_ms`, and whose queues this node has claimed or may
/// claim. Takes one look at the index for each webhook that has deliveries to attempt, however many those are.
pub fn webhooks_due(
    c: &mut dyn Conn,
    until_ms: i64,
    node: &str,
    may_take_over: bool,
) -> Result<Vec<WebhookId>> {
    let sql = format!(
        "WITH RECURSIVE queued (id) AS (SELECT MIN(d.webhook_id) FROM deliveries d \
         WHERE d.due_at IS NOT NULL AND d.webhook_id > '' UNION ALL \
         SELECT (SELECT MIN(d.webhook_id) FROM deliveries d WHERE d.due_at IS NOT NULL \
         AND d.webhook_id > page.id) FROM queued page WHERE page.id IS NOT NULL) \
         SELECT w.id FROM queued page CROSS JOIN webhooks w WHERE w.id = page.id AND w.active \
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id AND d.due_at <= ?1) \
         AND NOT EXISTS (SELECT 1 FROM queue_claims q \
         WHERE q.queue = w.id AND NOT {}) ORDER BY w.id",
        nodes::is_free(c.dialect(), "q.owner", "?2", "?3")
    );
    query_all(c, &sql, params![until_ms, node, may_take_over])
}

/// The state of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    Failed,
    Retry { due_at: i64 },
}

/// An attempt to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    pub id: DeliveryId,
    /// Its due time as it was read. If it differs now, a replay was requested during the attempt.
    pub was_due_at: i64,
    pub outcome: AttemptOutcome,
    pub tries: u32,
    /// All attempts, the newest last.
    pub attempts: Vec<Attempt>,
}

/// Records an attempt, and nothing for a delivery that is gone. A replay that was requested during the attempt stays due,
/// unless the attempt succeeded. Repeating the call changes nothing.
pub fn record(c: &mut dyn Conn, tried: &AttemptRecord, now_ms: i64) -> Result<()> {
    let AttemptRecord {
        id,
        was_due_at,
        outcome,
        tries,
        attempts,
    } = tried;
    let (state, due_at) = match outcome {
        AttemptOutcome::Delivered => (DeliveryState::Delivered, None),
        AttemptOutcome::Failed => (DeliveryState::Failed, None),
        AttemptOutcome::Retry { due_at } => (DeliveryState::Pending, Some(*due_at)),
    };
    let oldest = attempts.len().saturating_sub(ATTEMPTS_KEPT);
    let attempts = to_json(&&attempts[oldest..])?;
    let recorded = c.execute(
        "UPDATE deliveries SET state = ?2, due_at = ?3, tries = ?4, attempts = ?5, updated_at = ?6 \
         WHERE id = ?1 AND (due_at = ?7 OR ?8)",
        params![
            id,
            state,
            due_at,
            *tries,
            &attempts,
            now_ms,
            *was_due_at,
            *outcome == AttemptOutcome::Delivered
        ],
    )?;
    if recorded == 0 {
        c.execute(
            "UPDATE deliveries SET attempts = ?2, updated_at = ?3 WHERE id = ?1",
            params![id, &attempts, now_ms],
        )?;
    }
    Ok(())
}

/// Records a success that was in the journal and not in the store when the server died. A replay that was requested after it
/// stays due.
pub fn record_late(
    c: &mut dyn Conn,
    id: &DeliveryId,
    success: &Attempt,
    now_ms: i64,
) -> Result<()> {
    let waiting: Option<Waiting> = query_opt(
        c,
        "SELECT webhook_id, due_at, tries, attempts FROM deliveries \
         WHERE id = ?1 AND due_at <= ?2",
        params![id, success.at],
    )?;
    let Some(waiting) = waiting else {
        return Ok(());
    };
    let mut attempts = waiting.attempts;
    attempts.push(success.clone());
    let tried = AttemptRecord {
        id: id.clone(),
        was_due_at: waiting.due_at,
        outcome: AttemptOutcome::Delivered,
        tries: waiting.tries + 1,
        attempts,
    };
    webhooks::delivered(c, &waiting.webhook, success.at)?;
    record(c, &tried, now_ms)
}

struct Waiting {
    webhook: WebhookId,
    due_at: i64,
    tries: u32,
    attempts: Vec<Attempt>,
}

impl FromRow for Waiting {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Waiting {
            webhook: row.get(0)?,
            due_at: row.get(1)?,
            tries: row.get(2)?,
            attempts: row.json(3)?,
        })
    }
}
