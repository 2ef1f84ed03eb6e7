//! Events that users saved by name, to run a source or workflow with them again.

use sluice_model::EmitterId;

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedEvent {
    /// Unique for each emitter.
    pub name: String,
    /// JSON.
    pub event: String,
    pub updated_at: i64,
}

impl FromRow for SavedEvent {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(SavedEvent {
            name: row.get(0)?,
            event: row.get(1)?,
            updated_at: row.get(2)?,
        })
    }
}

/// Saves an event. One of the same name is replaced.
pub fn save(c: &mut dyn Conn, emitter: &EmitterId, saved: &SavedEvent) -> Result<()> {
    let SavedEvent {
        name,
        event,
        updated_at,
    } = saved;
    c.execute(
        "INSERT INTO saved_events (emitter_id, name, event, updated_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (emitter_id, name) DO UPDATE SET event = excluded.event, \
         updated_at = excluded.updated_at",
        params![emitter, name, event, *updated_at],
    )?;
    Ok(())
}

/// Of one emitter, by name.
pub fn list(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Vec<SavedEvent>> {
    query_all(
        c,
        "SELECT name, event, updated_at FROM saved_events WHERE emitter_id = ?1 ORDER BY name",
        params![emitter],
    )
}

/// How many events of an emitter have another name.
pub fn count_others(c: &mut dyn Conn, emitter: &EmitterId, name: &str) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM saved_events WHERE emitter_id = ?1 AND name <> ?2",
        params![emitter, name],
    )
}

/// Returns whether it existed.
pub fn remove(c: &mut dyn Conn, emitter: &EmitterId, name: &str) -> Result<bool> {
    let removed = c.execute(
        "DELETE FROM saved_events WHERE emitter_id = ?1 AND name = ?2",
        params![emitter, name],
    )?;
    Ok(removed == 1)
}
