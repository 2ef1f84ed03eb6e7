//! The outbox: events on their way to webhooks, and what became of them.

use serde::{Deserialize, Serialize};
use sluice_model::{DeliveryId, EmitId, EmitterId, EventId, WebhookId};

use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    portion::Portion,
    row::{FromRow, Row, to_json},
    server_clock::AT_ONCE,
    text_enum::text_enum,
    webhooks,
};

/// Attempts that are remembered of one delivery; the oldest go first.
const ATTEMPTS_KEPT: usize = 25;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is tried when it is due.
    Pending,
    Delivered,
    /// Given up; it can be replayed.
    Failed,
}

text_enum!(DeliveryState {
    Pending = "pending",
    Delivered = "delivered",
    Failed = "failed",
});

/// An event on its way out.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// That of the event, or a fresh one when it is replayed.
    pub emit_id: &'a EmitId,
    pub emitter: &'a EmitterId,
    pub id: EventId,
    pub channel: &'a str,
    /// JSON.
    pub data: &'a str,
}

/// Stores what deliveries to webhooks will carry.
pub fn insert_payload(c: &mut dyn Conn, event: &Outgoing<'_>) -> Result<()> {
    let Outgoing {
        emit_id,
        emitter,
        id,
        channel,
        data,
    } = *event;
    c.execute(
        "INSERT INTO payloads (id, emitter_id, event_id, channel, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![emit_id, emitter, &id.to_string(), channel, data],
    )?;
    Ok(())
}

/// Puts the delivery of a stored payload into the outbox, due at once, whatever the clock says.
pub fn insert(c: &mut dyn Conn, payload: &EmitId, webhook: &WebhookId, now_ms: i64) -> Result<()> {
    c.execute(
        "INSERT INTO deliveries (id, webhook_id, payload_id, state, due_at, tries, attempts, \
         created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?6, 0, '[]', ?5, ?5)",
        params![
            &DeliveryId::of(payload, webhook),
            webhook,
            payload,
            DeliveryState::Pending,
            now_ms,
            AT_ONCE
        ],
    )?;
    Ok(())
}

/// One try to deliver, as it is stored and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    pub at: i64,
    /// The receiver's answer, if there was one.
    pub status: Option<u16>,
    pub latency_ms: u64,
    /// The beginning of the answer's body.
    pub response: Option<String>,
    /// Why it was no success.
    pub error: Option<String>,
}

/// A delivery whose time has come, with all that is sent.
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
        })
    }
}

/// The deliveries of webhook ?1 that are due at ?2, joined with their payloads: of the first ?3 first attempts and the first ?3
/// others, the ?4 with the lowest ids. An index has each of the two parts in its order, however many are due.
const DUE: &str = "FROM (SELECT id FROM (SELECT id FROM (SELECT id FROM deliveries \
     WHERE webhook_id = ?1 AND due_at = 0 ORDER BY id LIMIT ?3) page_first \
     UNION ALL SELECT id FROM (SELECT id FROM deliveries \
     WHERE webhook_id = ?1 AND due_at > 0 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3) page_later) \
     page_both ORDER BY id LIMIT ?4) page CROSS JOIN deliveries d CROSS JOIN payloads p \
     WHERE d.id = page.id AND p.id = d.payload_id";

/// The deliveries that are due for a webhook, in the order of their ids, which is that of the events. Sizes are read before
/// payloads, so that a few huge ones do not fill the memory. One at least is read, if there is any.
pub fn due(
    c: &mut dyn Conn,
    webhook: &WebhookId,
    now_ms: i64,
    portion: Portion,
) -> Result<Vec<Due>> {
    let mut sizes: Vec<(DeliveryId, u64)> = query_all(
        c,
        &format!("SELECT d.id, CAST(octet_length(p.data) AS BIGINT) {DUE}"),
        params![webhook, now_ms, portion.rows, portion.rows],
    )?;
    sizes.sort();
    let fitting = portion.fitting(sizes.into_iter().map(|(_, bytes)| bytes));
    let mut due: Vec<Due> = query_all(
        c,
        &format!(
            "SELECT d.id, d.due_at, d.tries, d.attempts, d.created_at, p.emitter_id, p.event_id, \
             p.channel, p.data {DUE}"
        ),
        params![webhook, now_ms, portion.rows, fitting],
    )?;
    due.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(due)
}

/// Lets retries that were planned after `now`, by a clock that was set back since, wait from now on as long as they were to
/// wait; `limit` of them. Answers how many there were. To repeat it changes nothing. A try that is under way and fails is
/// repeated sooner than planned.
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

/// Everybody's active webhooks that something waits for.
pub fn webhooks_with_work(c: &mut dyn Conn) -> Result<Vec<WebhookId>> {
    query_all(
        c,
        "SELECT w.id FROM webhooks w WHERE w.active AND EXISTS (SELECT 1 FROM deliveries d \
         WHERE d.webhook_id = w.id AND d.due_at IS NOT NULL) ORDER BY w.id",
        &[],
    )
}

/// What becomes of a delivery after a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Delivered,
    Failed,
    Again { due_at: i64 },
}

/// A delivery that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub id: DeliveryId,
    /// When it was due as it was read: it says whether somebody asked for it anew meanwhile.
    pub was_due_at: i64,
    pub fate: Fate,
    pub tries: u32,
    /// All of them, the newest last.
    pub attempts: Vec<Attempt>,
}

/// Records a try, and nothing for a delivery that is gone. One that was made due anew during the try stays so, unless the
/// try was a success. To record the same again changes nothing.
pub fn record(c: &mut dyn Conn, tried: &Tried, now_ms: i64) -> Result<()> {
    let Tried {
        id,
        was_due_at,
        fate,
        tries,
        attempts,
    } = tried;
    let (state, due_at) = match fate {
        Fate::Delivered => (DeliveryState::Delivered, None),
        Fate::Failed => (DeliveryState::Failed, None),
        Fate::Again { due_at } => (DeliveryState::Pending, Some(*due_at)),
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
            *fate == Fate::Delivered
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

/// Records a success that was known and not recorded when the server died. A delivery that was asked for after it stays due.
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
    let tried = Tried {
        id: id.clone(),
        was_due_at: waiting.due_at,
        fate: Fate::Delivered,
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
