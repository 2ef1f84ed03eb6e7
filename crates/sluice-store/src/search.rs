//! Searches the events and logs of a source for text and times, one step at a time: a step reads so little that it holds
//! its thread only for a moment, whatever there is to search.

use serde::Deserialize;
use serde_json::value::RawValue;
use sluice_model::{EmitterId, EventId};

use crate::{
    batch_limit::{BatchLimit, SizedRow},
    conn::{Conn, Dialect, query_all},
    error::{Result, StoreError},
    event_id_row::EventIdRow,
    events::{ChannelFilter, HIGHEST, IN_CHANNELS, LOWEST},
    params,
    row::{FromRow, to_json},
};

/// Limits of one step.
const STEP: BatchLimit = BatchLimit {
    rows: 1_000,
    bytes: 8 * 1024 * 1024,
};

/// The text and the time to search for. ASCII letters match in either case. Both ends of the time are included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    pub text: Option<String>,
    /// Epoch milliseconds.
    pub since: Option<i64>,
    /// Epoch milliseconds.
    pub until: Option<i64>,
}

/// The matches of one step, newest first, and the position of the next step. None when the search is complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<K> {
    pub found: Vec<K>,
    pub next: Option<K>,
}

/// Events older than `below` whose data or summary has the text. It is compared with JSON as it is stored, where a quote, for one, is
/// written `\"`.
pub fn events(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    filter: &ChannelFilter,
    search: &Search,
    below: Option<EventId>,
) -> Result<Step<EventId>> {
    let until = search.until.map(|ms| EventId { ms, seq: i64::MAX });
    let below = below.unwrap_or(HIGHEST).min(until.unwrap_or(HIGHEST));
    let since = search.since.map_or(LOWEST, |ms| EventId { ms, seq: 0 });
    let (channel, all) = filter.params();
    let sql = format!(
        "SELECT ms, seq, CAST(octet_length(data) AS BIGINT) FROM events WHERE {IN_CHANNELS} \
         AND (ms, seq) < (?4, ?5) AND (ms, seq) >= (?6, ?7) ORDER BY ms DESC, seq DESC LIMIT ?8"
    );
    let params = params![
        emitter, channel, all, below.ms, below.seq, since.ms, since.seq, STEP.rows
    ];
    let (mut rows, next) = step::<EventId>(query_all(c, &sql, params)?);
    if let (Some(text), Some(last)) = (&search.text, rows.last()) {
        let needle = in_json(text)?;
        let sql = format!(
            "SELECT ms, seq, {}, meta FROM events WHERE {IN_CHANNELS} AND (ms, seq) < (?4, ?5) \
             AND (ms, seq) >= (?6, ?7) ORDER BY ms DESC, seq DESC",
            contains(c.dialect(), "data", "?8")
        );
        let params = params![
            emitter, channel, all, below.ms, below.seq, last.ms, last.seq, &needle
        ];
        let mut found = Vec::new();
        c.query(&sql, params, &mut |row| {
            let in_data: bool = row.get(2)?;
            if in_data || in_summary(&row.get::<String>(3)?, &needle)? {
                found.push(EventIdRow::from_row(row)?.0);
            }
            Ok(())
        })?;
        rows = found;
    }
    Ok(Step { found: rows, next })
}

/// Log lines older than `below` whose message has the text.
pub fn logs(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    search: &Search,
    below: Option<i64>,
) -> Result<Step<i64>> {
    let below = below.unwrap_or(i64::MAX);
    let looked = query_all(
        c,
        "SELECT seq, CAST(octet_length(message) AS BIGINT) FROM logs WHERE emitter_id = ?1 \
         AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
        params![emitter, below, STEP.rows],
    )?;
    let (rows, next) = step(looked);
    let Some(last) = rows.last() else {
        return Ok(Step { found: rows, next });
    };
    let sql = format!(
        "SELECT seq FROM logs WHERE emitter_id = ?1 AND seq < ?2 AND seq >= ?3 AND ts >= ?4 \
         AND ts <= ?5 AND {} ORDER BY seq DESC",
        contains(c.dialect(), "message", "?6")
    );
    let since = search.since.unwrap_or(i64::MIN);
    let until = search.until.unwrap_or(i64::MAX);
    let needle = search.text.as_deref().unwrap_or_default();
    let needle = needle.to_ascii_lowercase();
    let params = params![emitter, below, *last, since, until, &needle];
    let found = query_all(c, &sql, params)?;
    Ok(Step { found, next })
}

/// The rows of one step, and where the next one begins.
fn step<K: Copy>(rows: Vec<SizedRow<K>>) -> (Vec<K>, Option<K>) {
    let there = rows.len();
    let rows = STEP.of(rows);
    let is_last = rows.len() == there && there < STEP.rows as usize;
    let next = rows.last().copied().filter(|_| !is_last);
    (rows, next)
}

/// Not `LIKE`, which takes time in proportion to both texts' lengths, so that a patient enemy could make it take minutes. Both
/// databases lower ASCII letters only.
pub(crate) fn contains(dialect: Dialect, column: &str, needle: &str) -> String {
    format!(
        "{} > 0",
        position(dialect, &format!("LOWER({column})"), needle)
    )
}

/// Where the needle begins in the text, counted from 1; 0 when it is not there.
pub(crate) fn position(dialect: Dialect, text: &str, needle: &str) -> String {
    let function = match dialect {
        Dialect::Sqlite => "instr",
        Dialect::Postgres => "strpos",
    };
    format!("{function}({text}, {needle})")
}

/// The text as it stands inside a string of JSON.
fn in_json(text: &str) -> Result<String> {
    let quoted = to_json(&text.to_ascii_lowercase())?;
    Ok(quoted[1..quoted.len() - 1].to_owned())
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
}

fn in_summary(meta: &str, needle: &str) -> Result<bool> {
    let meta: Meta<'_> = serde_json::from_str(meta)
        .map_err(|error| StoreError::Corrupt(format!("metadata of an event: {error}")))?;
    let has = |summary: &RawValue| summary.get().to_ascii_lowercase().contains(needle);
    Ok(meta.summary.is_some_and(has))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_where_the_next_one_begins_unless_it_is_the_last() {
        let step = |count, bytes| step((0..count).map(|key| SizedRow { key, bytes }).collect());
        assert_eq!(step(0, 1), (vec![], None));
        assert_eq!(step(3, 1), (vec![0, 1, 2], None));
        let (full, next) = step(STEP.rows, 1);
        assert_eq!((full.len(), next), (1_000, Some(999)));
        assert_eq!(step(3, STEP.bytes / 2), (vec![0, 1], Some(1)));
        assert_eq!(step(2, STEP.bytes / 2), (vec![0, 1], None));
    }

    #[test]
    fn text_is_looked_for_as_json_writes_it() {
        let needle = |text| in_json(text).unwrap();
        assert_eq!(needle("Say \"HI\"\n\\ Ä"), r#"say \"hi\"\n\\ Ä"#);
        assert!(in_summary(r#"{"id":"x","summary":"A \"B\""}"#, &needle("a \"b")).unwrap());
        assert!(!in_summary(r#"{"id":"x","summary":"y"}"#, "x").unwrap());
        assert!(!in_summary(r#"{"id":"summary"}"#, "summary").unwrap());
    }
}
