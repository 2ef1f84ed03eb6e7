//! Pending sends. Each user has a queue for each kind, so that no user waits behind the sends of another.

use std::{collections::BTreeSet, fmt};

use sluice_model::{EmitId, UserId};

use super::{COLUMNS, SendKind, SendRow};
use crate::{
    batch_limit::{BatchLimit, SizedRow},
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    nodes, params,
    row::{FromRow, Row},
};

const MINUTE_MS: i64 = 60_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SendQueue {
    pub user_id: UserId,
    pub kind: SendKind,
}

impl FromRow for SendQueue {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SendQueue {
            user_id: row.get(0)?,
            kind: row.get(1)?,
        })
    }
}

/// The name under which the queue is claimed.
impl fmt::Display for SendQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.user_id, self.kind.as_str())
    }
}

impl SendQueue {
    /// The queue of a name.
    pub fn parse(name: &str) -> Option<SendQueue> {
        let (user, kind) = name.split_once('/')?;
        Some(SendQueue {
            user_id: UserId::parse(user)?,
            kind: SendKind::parse(kind)?,
        })
    }
}

/// A queue in which a send is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueQueue {
    pub queue: SendQueue,
    /// Another node that has claimed the queue and keeps it.
    pub claimed_by: Option<String>,
}

/// Queues of all users in which a send is due at `now`, as the node sees them.
pub fn queues_due(
    c: &mut dyn Conn,
    now: i64,
    node: &str,
    may_take_over: bool,
) -> Result<Vec<DueQueue>> {
    // From queue to queue by the index, however many sends each has.
    const NEXT: &str = "SELECT user_id, kind FROM sends WHERE due_at IS NOT NULL \
         AND (user_id, kind) > (?1, ?2) ORDER BY user_id, kind LIMIT 1";
    let check = format!(
        "SELECT EXISTS (SELECT 1 FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at <= ?3), \
         (SELECT owner FROM queue_claims q WHERE q.queue = ?4 AND NOT {})",
        nodes::is_free(c.dialect(), "q.owner", "?5", "?6")
    );
    let mut due = Vec::new();
    let mut next: Option<SendQueue> = query_opt(c, NEXT, params!["", ""])?;
    while let Some(queue) = next {
        next = query_opt(c, NEXT, params![&queue.user_id, queue.kind])?;
        let name = queue.to_string();
        let (is_due, claimed_by) = query_one(
            c,
            &check,
            params![&queue.user_id, queue.kind, now, &name, node, may_take_over],
        )?;
        if is_due {
            due.push(DueQueue { queue, claimed_by });
        }
    }
    Ok(due)
}

/// The sends of a queue that are due and not in hand, in the order of their ids, which is that of sending. Sizes are read
/// before payloads, so that a few huge ones do not fill the memory. One at least is read, if there is any.
pub fn due(
    c: &mut dyn Conn,
    queue: &SendQueue,
    now: i64,
    in_hand: &BTreeSet<EmitId>,
    limit: BatchLimit,
) -> Result<Vec<SendRow>> {
    let in_hand_count = u32::try_from(in_hand.len()).unwrap_or(u32::MAX);
    // First attempts by their ids, and others by their times: an index has each in its order, however many are due.
    let mut rows: Vec<SizedRow<EmitId>> = query_all(
        c,
        "SELECT id, bytes FROM (SELECT id, CAST(octet_length(payload) AS BIGINT) AS bytes \
         FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at = 0 ORDER BY id LIMIT ?4) page_first \
         UNION ALL SELECT id, bytes FROM (SELECT id, CAST(octet_length(payload) AS BIGINT) AS bytes \
         FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at > 0 AND due_at <= ?3 \
         ORDER BY due_at, id LIMIT ?4) page_later",
        params![
            &queue.user_id,
            queue.kind,
            now,
            limit.rows.saturating_add(in_hand_count)
        ],
    )?;
    rows.sort_by_key(|row| row.key);
    rows.retain(|row| !in_hand.contains(&row.key));
    rows.truncate(limit.rows as usize);
    let sql = format!("SELECT {COLUMNS} FROM sends WHERE id = ?1");
    let found = limit
        .of(rows)
        .into_iter()
        .map(|id| query_one(c, &sql, params![&id]));
    found.collect()
}

/// After the clock was set back: sends that were scheduled later than `now` get the same backoff from `now` on, `limit` of
/// them. First attempts to S3 wait for the next minute, because rows with one due time make one object. Returns how many
/// there were. Repeating the call changes nothing.
pub fn clamp(c: &mut dyn Conn, now: i64, limit: u32) -> Result<u64> {
    c.execute(
        "UPDATE sends SET updated_at = ?1, due_at = CASE WHEN kind = 's3' AND tries = 0 THEN ?3 \
         ELSE ?1 + (due_at - updated_at) END WHERE id IN \
         (SELECT id FROM sends WHERE due_at > ?1 AND updated_at > ?1 ORDER BY due_at LIMIT ?2)",
        params![now, limit, (now.div_euclid(MINUTE_MS) + 1) * MINUTE_MS],
    )
}

/// When the next send of any user is due that is not due yet.
pub fn next_due(c: &mut dyn Conn, now: i64) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM sends WHERE due_at > ?1",
        params![now],
    )
}

/// When the next send of a queue is due that is not due yet.
pub fn next_due_in(c: &mut dyn Conn, queue: &SendQueue, now: i64) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at > ?3",
        params![&queue.user_id, queue.kind, now],
    )
}

/// Postpones a pending send. This is no attempt.
pub fn postpone(c: &mut dyn Conn, id: &EmitId, due_at: i64, now: i64) -> Result<()> {
    c.execute(
        "UPDATE sends SET due_at = ?2, updated_at = ?3 WHERE id = ?1 AND due_at IS NOT NULL",
        params![id, due_at, now],
    )?;
    Ok(())
}

/// Saves the result of an attempt. A send that is over stays so, unless the attempt succeeded: another node may have sent it
/// meanwhile. Deferred.
pub fn record(c: &mut dyn Conn, send: &SendRow) -> Result<()> {
    c.execute_later(
        "UPDATE sends SET state = ?2, due_at = ?3, tries = ?4, result = ?5, updated_at = ?6 \
         WHERE id = ?1 AND (due_at IS NOT NULL OR ?2 = 'sent')",
        params![
            &send.id,
            send.state,
            send.due_at,
            send.tries,
            send.result.as_ref(),
            send.updated_at
        ],
    )
}
