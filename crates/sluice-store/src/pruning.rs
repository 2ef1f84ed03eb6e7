//! Deletes rows beyond the retention limits, a batch at a time and oldest first. Held events stay.

use sluice_model::{EmitterId, EventId};

use crate::{
    batch_limit::{BatchLimit, SizedRow},
    conn::{Conn, query_all, query_opt},
    error::Result,
    event_id_row::EventIdRow,
    event_replays,
    events::{LOWEST, NOT_HELD},
    kept_rows::{self, Kept},
    params,
    row::{FromRow, Row},
};

/// The newest event beyond the newest `keep`, in all channels.
pub fn events_beyond(c: &mut dyn Conn, emitter: &EmitterId, keep: u64) -> Result<Option<EventId>> {
    let found: Option<EventIdRow> = query_opt(
        c,
        "SELECT ms, seq FROM events WHERE emitter_id = ?1 ORDER BY ms DESC, seq DESC \
         LIMIT 1 OFFSET ?2",
        params![emitter, keep],
    )?;
    Ok(found.map(|EventIdRow(id)| id))
}

/// The newest log line from before `before_ms`.
pub fn logs_older_than(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    before_ms: i64,
) -> Result<Option<i64>> {
    query_opt(
        c,
        "SELECT seq FROM logs WHERE emitter_id = ?1 AND ts < ?2 ORDER BY seq DESC LIMIT 1",
        params![emitter, before_ms],
    )
}

/// Deletes one batch of the oldest events up to `last`. Returns how many.
pub fn events(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    last: EventId,
    limit: BatchLimit,
) -> Result<u64> {
    let sql = format!(
        "SELECT ms, seq, CAST(octet_length(data) AS BIGINT) FROM events WHERE emitter_id = ?1 \
         AND (ms, seq) <= (?2, ?3) AND {NOT_HELD} ORDER BY ms, seq LIMIT ?4"
    );
    let params = params![emitter, last.ms, last.seq, limit.rows];
    let rows: Vec<SizedRow<EventId>> = query_all(c, &sql, params)?;
    let Some(last) = limit.of(rows).pop() else {
        return Ok(0);
    };
    let (mut deleted, mut kept) = (0, Kept::default());
    c.query(
        &format!(
            "DELETE FROM events WHERE emitter_id = ?1 AND (ms, seq) <= (?2, ?3) AND {NOT_HELD} \
             RETURNING channel"
        ),
        params![emitter, last.ms, last.seq],
        &mut |row| {
            let channel: String = row.get(0)?;
            deleted += 1;
            kept.add_events(&channel, -1);
            Ok(())
        },
    )?;
    event_replays::remove_unused(c, emitter, LOWEST, last)?;
    kept_rows::change(c, emitter, kept)?;
    Ok(deleted)
}

/// Deletes one batch of the oldest log lines up to `last`. Returns how many.
pub fn logs(c: &mut dyn Conn, emitter: &EmitterId, last: i64, limit: BatchLimit) -> Result<u64> {
    let rows: Vec<SizedRow<i64>> = query_all(
        c,
        "SELECT seq, CAST(octet_length(message) AS BIGINT) FROM logs WHERE emitter_id = ?1 \
         AND seq <= ?2 ORDER BY seq LIMIT ?3",
        params![emitter, last, limit.rows],
    )?;
    let Some(last) = limit.of(rows).pop() else {
        return Ok(0);
    };
    let deleted = c.execute(
        "DELETE FROM logs WHERE emitter_id = ?1 AND seq <= ?2",
        params![emitter, last],
    )?;
    kept_rows::change(c, emitter, Kept::without_logs(deleted))?;
    Ok(deleted)
}

/// An emitter, and whether it has rows that are too old.
#[derive(Debug, PartialEq, Eq)]
pub struct AgeCheck {
    pub emitter: EmitterId,
    /// Rows before this time are too old.
    pub before_ms: i64,
    pub too_old: bool,
}

impl FromRow for AgeCheck {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(AgeCheck {
            emitter: row.get(0)?,
            before_ms: row.get(1)?,
            too_old: row.get(2)?,
        })
    }
}

/// Emitters of all users whose events, and last requests, have a maximum age, their own or `default_ms`, in the order of their ids.
pub fn with_aging_events(
    c: &mut dyn Conn,
    now_ms: i64,
    default_ms: Option<i64>,
    after: Option<&EmitterId>,
    limit: u32,
) -> Result<Vec<AgeCheck>> {
    let which = match default_ms {
        Some(_) => {
            "SELECT id, max_age_seconds FROM sources UNION ALL SELECT id, NULL FROM workflows"
        }
        None => "SELECT id, max_age_seconds FROM sources WHERE max_age_seconds IS NOT NULL",
    };
    let sql = format!(
        "SELECT s.id, s.before_ms, EXISTS (SELECT 1 FROM events WHERE events.emitter_id = s.id \
         AND events.ms < s.before_ms AND {NOT_HELD}) OR EXISTS (SELECT 1 FROM last_requests \
         WHERE last_requests.emitter_id = s.id AND at < s.before_ms) \
         FROM (SELECT id, ?1 - COALESCE(max_age_seconds * 1000, ?2) AS before_ms FROM ({which}) e \
         WHERE id > ?3 ORDER BY id LIMIT ?4) s ORDER BY s.id"
    );
    let after = after.map_or("", EmitterId::as_str);
    query_all(c, &sql, params![now_ms, default_ms, after, limit])
}

/// Sources of all users in the order of their ids, each with whether its oldest log line is from before `before_ms`.
pub fn with_old_logs(
    c: &mut dyn Conn,
    before_ms: i64,
    after: Option<&EmitterId>,
    limit: u32,
) -> Result<Vec<AgeCheck>> {
    let after = after.map_or("", EmitterId::as_str);
    query_all(
        c,
        "SELECT id, CAST(?1 AS BIGINT), COALESCE((SELECT ts FROM logs WHERE emitter_id = sources.id \
         ORDER BY seq LIMIT 1) < ?1, FALSE) FROM sources WHERE id > ?2 ORDER BY id LIMIT ?3",
        params![before_ms, after, limit],
    )
}
