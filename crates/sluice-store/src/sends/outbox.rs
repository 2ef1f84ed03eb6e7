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

/// What is due in a lane and not among those in hand, the longest due first. Sizes are read before payloads, so that a
/// few huge ones do not fill the memory; at least one comes when there is any.
pub fn due(
    c: &mut dyn Conn,
    lane: &Lane,
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
            &lane.user_id,
            lane.kind,
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
