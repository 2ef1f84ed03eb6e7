//! The last HTTP request of each source, to run the source with it again.

use sluice_model::EmitterId;

use crate::{
    conn::{Conn, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRequest {
    /// As the component got it, as JSON.
    pub event: String,
    /// When it was handled.
    pub at: i64,
}

impl FromRow for LastRequest {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(LastRequest {
            event: row.get(0)?,
            at: row.get(1)?,
        })
    }
}

/// Replaces the request of an emitter. Deferred.
pub fn record(c: &mut dyn Conn, emitter: &EmitterId, event: &str, at: i64) -> Result<()> {
    c.execute_later(
        "INSERT INTO last_requests (emitter_id, at, event) VALUES (?1, ?2, ?3) \
         ON CONFLICT (emitter_id) DO UPDATE SET at = excluded.at, event = excluded.event",
        params![emitter, at, event],
    )
}

/// Deletes a request that was handled between these times, both included.
pub fn remove_between(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    first_ms: i64,
    last_ms: i64,
) -> Result<()> {
    c.execute(
        "DELETE FROM last_requests WHERE emitter_id = ?1 AND at >= ?2 AND at <= ?3",
        params![emitter, first_ms, last_ms],
    )?;
    Ok(())
}

pub fn get(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Option<LastRequest>> {
    let sql = "SELECT event, at FROM last_requests WHERE emitter_id = ?1";
    query_opt(c, sql, params![emitter])
}
