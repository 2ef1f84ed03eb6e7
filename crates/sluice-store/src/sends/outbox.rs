//! Sends that wait. Each user has a queue for each kind, so that the many sends of one user delay nobody else's.

use std::collections::BTreeSet;

use sluice_model::{EmitId, UserId};

use super::{COLUMNS, SendKind, SendRow};
use crate::{
    conn::{Conn, query_all, query_one, query_opt},
    error::Result,
    params,
    portion::{Portion, Weighed},
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

/// The queues of all users in which something is due at `now`.
pub fn queues_due(c: &mut dyn Conn, now: i64) -> Result<Vec<SendQueue>> {
    // From queue to queue by the index, however much waits in each.
    const NEXT: &str = "SELECT user_id, kind FROM sends WHERE due_at IS NOT NULL \
         AND (user_id, kind) > (?1, ?2) ORDER BY user_id, kind LIMIT 1";
    let mut due = Vec::new();
    let mut next: Option<SendQueue> = query_opt(c, NEXT, params!["", ""])?;
    while let Some(queue) = next {
        next = query_opt(c, NEXT, params![&queue.user_id, queue.kind])?;
        let is_due: bool = query_one(
            c,
            "SELECT EXISTS (SELECT 1 FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at <= ?3)",
            params![&queue.user_id, queue.kind, now],
        )?;
        if is_due {
            due.push(queue);
        }
    }
    Ok(due)
}

/// Due sends of a queue that are not in hand, the longest due first. Sizes are read before payloads, so that a
/// few huge ones do not fill the memory; at least one comes when there is any.
pub fn due(
    c: &mut dyn Conn,
    queue: &SendQueue,
    now: i64,
    in_hand: &BTreeSet<EmitId>,
    portion: Portion,
) -> Result<Vec<SendRow>> {
    let in_hand_count = u32::try_from(in_hand.len()).unwrap_or(u32::MAX);
    let mut weighed: Vec<Weighed<EmitId>> = query_all(
        c,
        "SELECT id, CAST(octet_length(payload) AS BIGINT) FROM sends \
         WHERE user_id = ?1 AND kind = ?2 AND due_at <= ?3 ORDER BY due_at, id LIMIT ?4",
        params![
            &queue.user_id,
            queue.kind,
            now,
            portion.rows.saturating_add(in_hand_count)
        ],
    )?;
    weighed.retain(|row| !in_hand.contains(&row.key));
    weighed.truncate(portion.rows as usize);
    let sql = format!("SELECT {COLUMNS} FROM sends WHERE id = ?1");
    let found = portion
        .of(weighed)
        .into_iter()
        .map(|id| query_one(c, &sql, params![&id]));
    found.collect()
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

/// Lets a waiting send wait until `due_at`. It does not count as an attempt.
pub fn postpone(c: &mut dyn Conn, id: &EmitId, due_at: i64, now: i64) -> Result<()> {
    c.execute(
        "UPDATE sends SET due_at = ?2, updated_at = ?3 WHERE id = ?1 AND due_at IS NOT NULL",
        params![id, due_at, now],
    )?;
    Ok(())
}

/// After the clock was set back: a send that was scheduled in the future waits for its own pause from now, not for the
/// whole jump. First attempts to S3 wait for the next minute, because rows with one due time make one object.
pub fn rebase_due(c: &mut dyn Conn, now: i64) -> Result<()> {
    c.execute(
        "UPDATE sends SET updated_at = ?1, due_at = CASE \
         WHEN kind = 's3' AND tries = 0 THEN ?2 \
         WHEN due_at > updated_at THEN ?1 + due_at - updated_at ELSE ?1 END \
         WHERE due_at > ?1 AND updated_at > ?1",
        params![now, (now.div_euclid(MINUTE_MS) + 1) * MINUTE_MS],
    )?;
    Ok(())
}
