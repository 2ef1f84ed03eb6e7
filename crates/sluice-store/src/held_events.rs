//! Events with a delivery time in the future. They are listed among the events of their source. When due, they go into the
//! inbox of the source, which stores them again.

use sluice_model::{EmitterId, EventId};

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldEvent {
    pub emitter_id: EmitterId,
    pub id: EventId,
    pub due_at: i64,
    pub depth: u32,
}

impl FromRow for HeldEvent {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(HeldEvent {
            emitter_id: row.get(0)?,
            id: EventId {
                ms: row.get(1)?,
                seq: row.get(2)?,
            },
            due_at: row.get(3)?,
            depth: row.get(4)?,
        })
    }
}

/// Deferred.
pub fn insert(c: &mut dyn Conn, held: &HeldEvent) -> Result<()> {
    let HeldEvent {
        emitter_id,
        id: EventId { ms, seq },
        due_at,
        depth,
    } = held;
    c.execute_later(
        "INSERT INTO held_events (emitter_id, ms, seq, due_at, depth) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![emitter_id, *ms, *seq, *due_at, *depth],
    )?;
    Ok(())
}

/// Events of all users that are due, earliest first.
pub fn due(c: &mut dyn Conn, now_ms: i64, limit: u32) -> Result<Vec<HeldEvent>> {
    query_all(c, DUE, params![now_ms, limit])
}

const DUE: &str = "SELECT emitter_id, ms, seq, due_at, depth FROM held_events WHERE due_at <= ?1 \
     ORDER BY due_at, emitter_id, ms, seq LIMIT ?2";

/// When the next event of any user is due. The condition is that of the partial index: without it, SQLite scans the table.
pub fn next_due(c: &mut dyn Conn) -> Result<Option<i64>> {
    query_one(
        c,
        "SELECT MIN(due_at) FROM held_events WHERE due_at IS NOT NULL",
        &[],
    )
}

pub fn is_held(c: &mut dyn Conn, emitter: &EmitterId, id: EventId) -> Result<bool> {
    query_one(
        c,
        "SELECT EXISTS (SELECT 1 FROM held_events WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3)",
        params![emitter, id.ms, id.seq],
    )
}

/// Claims events that are due for their sources, earliest first. Those that another node claims at the same time are left to
/// it.
pub fn take_due(c: &mut dyn Conn, now_ms: i64, limit: u32) -> Result<Vec<HeldEvent>> {
    match c.dialect() {
        Dialect::Sqlite => {
            let due = due(c, now_ms, limit)?;
            for HeldEvent { emitter_id, id, .. } in &due {
                c.execute(
                    "UPDATE held_events SET due_at = NULL WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3",
                    params![emitter_id, id.ms, id.seq],
                )?;
            }
            Ok(due)
        }
        Dialect::Postgres => {
            let sql = format!(
                "WITH due AS ({DUE} FOR UPDATE SKIP LOCKED) UPDATE held_events h SET due_at = NULL \
                 FROM due WHERE h.emitter_id = due.emitter_id AND h.ms = due.ms AND h.seq = due.seq \
                 RETURNING due.emitter_id, due.ms, due.seq, due.due_at, due.depth"
            );
            let mut taken: Vec<HeldEvent> = query_all(c, &sql, params![now_ms, limit])?;
            taken.sort_by_key(|held| (held.due_at, held.id));
            Ok(taken)
        }
    }
}

/// Ends the hold of an event. Deferred.
pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, id: EventId) -> Result<()> {
    c.execute_later(
        "DELETE FROM held_events WHERE emitter_id = ?1 AND ms = ?2 AND seq = ?3",
        params![emitter, id.ms, id.seq],
    )?;
    Ok(())
}
