//! What waits to be sent. Each user has a lane for each kind, so that nobody is behind the many sends of another.

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

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lane {
    pub user_id: UserId,
    pub kind: SendKind,
}

impl FromRow for Lane {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Lane {
            user_id: row.get(0)?,
            kind: row.get(1)?,
        })
    }
}

/// Everybody's lanes in which something is due at `now`.
pub fn lanes_due(c: &mut dyn Conn, now: i64) -> Result<Vec<Lane>> {
    // From lane to lane by the index, however much waits in each.
    const NEXT: &str = "SELECT user_id, kind FROM sends WHERE due_at IS NOT NULL \
         AND (user_id, kind) > (?1, ?2) ORDER BY user_id, kind LIMIT 1";
    let mut due = Vec::new();
    let mut next: Option<Lane> = query_opt(c, NEXT, params!["", ""])?;
    while let Some(lane) = next {
        next = query_opt(c, NEXT, params![&lane.user_id, lane.kind])?;
        let is_due: bool = query_one(
            c,
            "SELECT EXISTS (SELECT 1 FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at <= ?3)",
            params![&lane.user_id, lane.kind, now],
        )?;
        if is_due {
            due.push(lane);
        }
    }
    Ok(due)
}

/// The sends of a lane that are due and not in hand, in the order of their ids, which is that of sending. Sizes are read
/// before payloads, so that a few huge ones do not fill the memory. One at least is read, if there is any.
pub fn due(
    c: &mut dyn Conn,
    lane: &Lane,
    now: i64,
    in_hand: &BTreeSet<EmitId>,
    portion: Portion,
) -> Result<Vec<SendRow>> {
    let in_hand_count = u32::try_from(in_hand.len()).unwrap_or(u32::MAX);
    // First attempts by their ids, and others by their times: an index has each in its order, however many are due.
    let mut weighed: Vec<Weighed<EmitId>> = query_all(
        c,
        "SELECT id, bytes FROM (SELECT id, CAST(octet_length(payload) AS BIGINT) AS bytes \
         FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at = 0 ORDER BY id LIMIT ?4) page_first \
         UNION ALL SELECT id, bytes FROM (SELECT id, CAST(octet_length(payload) AS BIGINT) AS bytes \
         FROM sends WHERE user_id = ?1 AND kind = ?2 AND due_at > 0 AND due_at <= ?3 \
         ORDER BY due_at, id LIMIT ?4) page_later",
        params![
            &lane.user_id,
            lane.kind,
            now,
            portion.rows.saturating_add(in_hand_count)
        ],
    )?;
    weighed.sort_by_key(|row| row.key);
    weighed.retain(|row| !in_hand.contains(&row.key));
    weighed.truncate(portion.rows as usize);
    let sql = format!("SELECT {COLUMNS} FROM sends WHERE id = ?1");
    let found = portion
        .of(weighed)
        .into_iter()
        .map(|id| query_one(c, &sql, params![&id]));
    found.collect()
}

/// Lets sends that were planned after `now`, by a clock that was set back since, wait from now on as long as they were to
/// wait; `limit` of them. Answers how many there were. To repeat it changes nothing.
pub fn clamp(c: &mut dyn Conn, now: i64, limit: u32) -> Result<u64> {
    c.execute(
        "UPDATE sends SET due_at = ?1 + (due_at - updated_at), updated_at = ?1 WHERE id IN \
         (SELECT id FROM sends WHERE due_at > ?1 AND updated_at > ?1 ORDER BY due_at LIMIT ?2)",
        params![now, limit],
    )
}

/// When the next of everybody's sends is due that is not due yet.
pub fn next_due(c: &mut dyn Conn, now: i64) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM sends WHERE due_at > ?1",
        params![now],
    )
}

/// Lets a send that waits wait longer; it loses no try.
pub fn postpone(c: &mut dyn Conn, id: &EmitId, due_at: i64) -> Result<()> {
    c.execute(
        "UPDATE sends SET due_at = ?2 WHERE id = ?1 AND due_at IS NOT NULL",
        params![id, due_at],
    )?;
    Ok(())
}
