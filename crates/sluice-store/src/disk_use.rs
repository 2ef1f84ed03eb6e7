//! The disk space that the data of a user takes.

use sluice_model::{EmitterId, EventId, UserId};

use crate::{
    conn::{Conn, query_all, query_one},
    error::Result,
    events::NOT_HELD,
    params,
    row::{FromRow, Row},
};

/// In bytes, without the overhead of the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskUse {
    pub data_stores: u64,
    /// `$.service.db` of all sources and workflows.
    pub state: u64,
    pub events: u64,
}

/// The sources and workflows of the user `?1`.
const EMITTERS: &str = "emitter_id IN (SELECT id FROM sources WHERE user_id = ?1 \
     UNION ALL SELECT id FROM workflows WHERE user_id = ?1)";

/// Events that one read looks at.
const MAX_EVENTS: u32 = 5_000;

pub fn of_user(c: &mut dyn Conn, user: &UserId) -> Result<DiskUse> {
    let sum = |c: &mut dyn Conn, bytes: &str, rows: &str| -> Result<u64> {
        let sql = format!("SELECT CAST(COALESCE(SUM({bytes}), 0) AS BIGINT) FROM {rows}");
        query_one(c, &sql, params![user])
    };
    Ok(DiskUse {
        data_stores: sum(c, "bytes", "data_stores WHERE user_id = ?1")?,
        state: sum(
            c,
            "octet_length(key) + octet_length(value)",
            &format!("kv WHERE {EMITTERS}"),
        )?,
        events: sum(
            c,
            "octet_length(meta) + octet_length(data)",
            &format!("events WHERE {EMITTERS}"),
        )?,
    })
}

struct OldEvent {
    id: EventId,
    bytes: u64,
}

impl FromRow for OldEvent {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(OldEvent {
            id: EventId {
                ms: row.get(0)?,
                seq: row.get(1)?,
            },
            bytes: row.get(2)?,
        })
    }
}

/// The event up to which the user's events take at least so many bytes, or the last one of one read. Held events do not
/// count.
pub fn oldest_events(c: &mut dyn Conn, user: &UserId, bytes: u64) -> Result<Option<EventId>> {
    let sql = format!(
        "SELECT ms, seq, CAST(octet_length(meta) + octet_length(data) AS BIGINT) FROM events \
         WHERE {EMITTERS} AND {NOT_HELD} ORDER BY ms, seq LIMIT ?2"
    );
    let events: Vec<OldEvent> = query_all(c, &sql, params![user, MAX_EVENTS])?;
    let mut sum = 0;
    let mut last = None;
    for event in events {
        if sum >= bytes {
            break;
        }
        sum += event.bytes;
        last = Some(event.id);
    }
    Ok(last)
}

/// The sources and workflows of a user that have events up to this one.
pub fn with_events_until(c: &mut dyn Conn, user: &UserId, last: EventId) -> Result<Vec<EmitterId>> {
    let sql = format!(
        "SELECT DISTINCT emitter_id FROM events WHERE {EMITTERS} AND (ms, seq) <= (?2, ?3)"
    );
    query_all(c, &sql, params![user, last.ms, last.seq])
}
