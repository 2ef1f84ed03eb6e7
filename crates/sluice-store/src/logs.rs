//! Log lines of sources. A line's `seq` is its place, and its cursor.

use std::borrow::Cow;

use sluice_model::{EmitterId, EventId};

use crate::{
    batch_limit::BatchLimit,
    conn::{Conn, Dialect, Query, query_all, query_one, query_opt},
    error::Result,
    kept_rows::{self, Kept},
    params,
    row::{FromRow, Row},
    value::Value,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewLog<'a> {
    pub invocation: Option<&'a str>,
    pub ts: i64,
    pub kind: &'a str,
    pub level: &'a str,
    pub message: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLog {
    pub seq: i64,
    pub invocation: Option<String>,
    pub ts: i64,
    pub kind: String,
    pub level: String,
    pub message: String,
}

impl FromRow for StoredLog {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(StoredLog {
            seq: row.get(0)?,
            invocation: row.get(1)?,
            ts: row.get(2)?,
            kind: row.get(3)?,
            level: row.get(4)?,
            message: row.get(5)?,
        })
    }
}

const SELECT: &str = "SELECT seq, invocation_id, ts, kind, level, message FROM logs";

/// The id of a line among events. Only its `seq` orders lines: their times may go back, as the component's clock does.
pub fn event_id(ts: i64, seq: i64) -> EventId {
    EventId { ms: ts.max(0), seq }
}

/// Inserts a line, outside of a commit. Returns its seq. NUL characters are left out of the message: a component may print anything, and a log line
/// must not be what fails its commit.
pub fn insert(c: &mut dyn Conn, emitter: &EmitterId, log: &NewLog<'_>) -> Result<i64> {
    let NewLog {
        invocation,
        ts,
        kind,
        level,
        message,
    } = *log;
    let message = without_nul(message);
    let added = Kept {
        logs: 1,
        ..Kept::default()
    };
    kept_rows::change(c, emitter, added)?;
    query_one(
        c,
        "INSERT INTO logs (emitter_id, invocation_id, ts, kind, level, message) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING seq",
        params![emitter, invocation, ts, kind, level, &*message],
    )
}

/// Reserves the places of so many lines, in ascending order. No other line gets them.
#[derive(Debug)]
pub struct Reservation {
    lines: u64,
    pub seqs: Vec<i64>,
}

impl Reservation {
    pub fn new(lines: usize) -> Reservation {
        Reservation {
            lines: lines as u64,
            seqs: Vec::with_capacity(lines),
        }
    }
}

impl<'p> Query<'p> for Reservation {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str> {
        match dialect {
            // There is one writer at a time, and a line with a given place moves the counter behind it.
            Dialect::Sqlite => {
                "WITH RECURSIVE place (n) AS (SELECT 1 WHERE ?1 > 0 \
                 UNION ALL SELECT n + 1 FROM place WHERE n < ?1) \
                 SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'logs'), 0) + n FROM place"
            }
            Dialect::Postgres => {
                "SELECT nextval(pg_get_serial_sequence('logs', 'seq')) \
                 FROM generate_series(1, CAST(?1 AS BIGINT))"
            }
        }
        .into()
    }

    fn params(&self) -> Vec<Value<'p>> {
        vec![self.lines.into()]
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.seqs.push(row.get(0)?);
        Ok(())
    }
}

/// Inserts lines of one emitter at reserved places. As [`insert`], but deferred.
pub fn insert_all<'a>(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    lines: impl Iterator<Item = (i64, NewLog<'a>)>,
) -> Result<()> {
    let lines: Vec<(i64, NewLog<'a>, Cow<'a, str>)> = lines
        .map(|(seq, line)| (seq, line, without_nul(line.message)))
        .collect();
    let mut values: Vec<Value<'_>> = Vec::with_capacity(lines.len() * 7);
    for (seq, line, message) in &lines {
        let NewLog {
            invocation,
            ts,
            kind,
            level,
            message: _,
        } = *line;
        values.extend_from_slice(params![
            *seq, emitter, invocation, ts, kind, level, &**message
        ]);
    }
    c.insert_later(
        "INSERT INTO logs (seq, emitter_id, invocation_id, ts, kind, level, message) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        7,
        &values,
    )
}

fn without_nul(message: &str) -> Cow<'_, str> {
    if message.contains('\0') {
        Cow::Owned(message.replace('\0', ""))
    } else {
        Cow::Borrowed(message)
    }
}

/// A page of lines, newest first. `after` asks for lines that follow a seq in that order: older ones.
/// `before` asks for newer ones, and alone for those nearest to it.
pub fn page(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    limit: u32,
    after: Option<i64>,
    before: Option<i64>,
) -> Result<Vec<StoredLog>> {
    let nearest_first = if before.is_some() && after.is_none() {
        "seq"
    } else {
        "seq DESC"
    };
    let sql = format!(
        "{SELECT} WHERE emitter_id = ?1 AND seq < ?2 AND seq > ?3 ORDER BY {nearest_first} LIMIT ?4"
    );
    let below = after.unwrap_or(i64::MAX);
    let above = before.unwrap_or(i64::MIN);
    let mut logs: Vec<StoredLog> = query_all(c, &sql, params![emitter, below, above, limit])?;
    logs.sort_by_key(|log| std::cmp::Reverse(log.seq));
    Ok(logs)
}

pub fn get(c: &mut dyn Conn, emitter: &EmitterId, seq: i64) -> Result<Option<StoredLog>> {
    let sql = format!("{SELECT} WHERE emitter_id = ?1 AND seq = ?2");
    query_opt(c, &sql, params![emitter, seq])
}

/// The place of the line that has `ahead` newer ones ahead of it.
pub fn seq_behind(c: &mut dyn Conn, emitter: &EmitterId, ahead: u64) -> Result<Option<i64>> {
    query_opt(
        c,
        "SELECT seq FROM logs WHERE emitter_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2",
        params![emitter, ahead],
    )
}

/// Lines after a line, oldest first.
pub fn after(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    after: i64,
    limit: BatchLimit,
) -> Result<Vec<StoredLog>> {
    let sizes = query_all(
        c,
        "SELECT CAST(octet_length(message) AS BIGINT) FROM logs WHERE emitter_id = ?1 AND seq > ?2 \
         ORDER BY seq LIMIT ?3",
        params![emitter, after, limit.rows],
    )?;
    query_all(
        c,
        "SELECT seq, invocation_id, ts, kind, level, message FROM logs WHERE emitter_id = ?1 \
         AND seq > ?2 ORDER BY seq LIMIT ?3",
        params![emitter, after, limit.fitting(sizes)],
    )
}

/// The place of the newest line, or one before all lines.
pub fn newest_seq(c: &mut dyn Conn, emitter: &EmitterId) -> Result<i64> {
    let newest: Option<i64> = query_one(
        c,
        "SELECT MAX(seq) FROM logs WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(newest.unwrap_or(0))
}

pub fn count(c: &mut dyn Conn, emitter: &EmitterId) -> Result<u64> {
    query_one(
        c,
        "SELECT COUNT(*) FROM logs WHERE emitter_id = ?1",
        params![emitter],
    )
}

/// Deletes from `start` to `end`, both included; an end that is not given is open.
pub fn delete_range(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    start: Option<i64>,
    end: Option<i64>,
) -> Result<u64> {
    let (start, end) = (start.unwrap_or(i64::MIN), end.unwrap_or(i64::MAX));
    let deleted = c.execute(
        "DELETE FROM logs WHERE emitter_id = ?1 AND seq >= ?2 AND seq <= ?3",
        params![emitter, start, end],
    )?;
    kept_rows::change(c, emitter, Kept::without_logs(deleted))?;
    Ok(deleted)
}
