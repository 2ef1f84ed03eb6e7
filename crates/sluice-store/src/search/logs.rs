//! Searches log lines.

use serde_json::{Value as Json, json};
use sluice_model::{
    EmitterId,
    search::{Needle, Record},
};

use super::{
    contains,
    criteria::Search,
    step::{Part, Step},
};
use crate::{
    conn::{Conn, Dialect, query_all},
    error::Result,
    logs::StoredLog,
    params,
    row::FromRow,
    value::Value,
};

/// The names of the fields of every line.
const FIELDS: [&str; 4] = ["level", "kind", "invocation", "message"];

/// The matches among the log lines of a part. Times do not order lines, so all lines are looked at.
pub fn logs(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    search: &Search,
    part: &Part<i64>,
) -> Result<Step<i64, StoredLog>> {
    let (low, high) = part.between(i64::MIN, i64::MAX);
    let order = part.direction.order(&["seq"]);
    let sql = format!(
        "SELECT seq, CAST(octet_length(message) AS BIGINT) FROM logs WHERE emitter_id = ?1 \
         AND seq > ?2 AND seq < ?3 ORDER BY {order} LIMIT ?4"
    );
    let selected = part.select(query_all(c, &sql, params![emitter, low, high, part.rows])?);
    let mut found = Vec::new();
    if let Some((low, high)) = selected.ends() {
        let needles = needles(search);
        let has_needles = has_needles(c.dialect(), needles.len());
        let sql = format!(
            "SELECT seq, invocation_id, ts, kind, level, message FROM logs WHERE emitter_id = ?1 \
             AND seq >= ?2 AND seq <= ?3 AND ts >= ?4 AND ts <= ?5 AND (?6 = '' OR LOWER(level) = ?6) \
             {has_needles} ORDER BY {order}"
        );
        let since = search.since.unwrap_or(i64::MIN);
        let until = search.until.unwrap_or(i64::MAX);
        let level = level(search);
        let mut params = params![emitter, low, high, since, until, &level].to_vec();
        params.extend(needles.iter().map(Value::from));
        c.query(&sql, &params, &mut |row| {
            if found.len() < part.wanted {
                let line = StoredLog::from_row(row)?;
                if is_match(search, &line) {
                    found.push((line.seq, line));
                }
            }
            Ok(())
        })?;
    }
    Ok(selected.step(part, found))
}

/// The level of all matches; empty for any.
fn level(search: &Search) -> String {
    let query = search.query.as_ref();
    let level = query.and_then(|query| query.required_value("level"));
    level.unwrap_or_default().to_ascii_lowercase()
}

/// Texts that are in the message of every match. A message that is JSON may write a field in several ways.
fn needles(search: &Search) -> Vec<String> {
    let needles = search
        .query
        .iter()
        .flat_map(sluice_model::SearchQuery::needles);
    needles
        .filter_map(|needle| match needle {
            Needle::Text(text) => Some(text),
            Needle::Field { .. } => None,
        })
        .collect()
}

/// Conditions on the parameters from `?7`.
fn has_needles(dialect: Dialect, count: usize) -> String {
    let condition = |index: usize| {
        let needle = format!("?{}", 7 + index);
        format!("AND {}", contains(dialect, "message", &needle))
    };
    (0..count).map(condition).collect::<Vec<_>>().join(" ")
}

fn is_match(search: &Search, line: &StoredLog) -> bool {
    let query = search.query.as_ref();
    query.is_none_or(|query| query.matches(&LogRecord::new(line)))
}

/// A log line as a search sees it. Words are looked for in its message. A path begins at `level`, `kind`, `invocation` or
/// `message`, or in the message if that is JSON.
pub struct LogRecord {
    message: Json,
    fields: Json,
    parsed: Option<Json>,
}

impl LogRecord {
    pub fn new(line: &StoredLog) -> LogRecord {
        let StoredLog {
            seq: _,
            invocation,
            ts: _,
            kind,
            level,
            message,
        } = line;
        let may_be_json = message.starts_with(['{', '[']);
        LogRecord {
            parsed: may_be_json
                .then(|| serde_json::from_str(message).ok())
                .flatten(),
            fields: json!({ "level": level, "kind": kind, "invocation": invocation, "message": message }),
            message: Json::from(message.as_str()),
        }
    }
}

impl Record for LogRecord {
    fn texts(&self) -> Vec<&Json> {
        vec![&self.message]
    }

    fn roots<'p>(&self, path: &'p [String]) -> Vec<(&Json, &'p [String])> {
        let [first, rest @ ..] = path else {
            return Vec::new();
        };
        let fields = FIELDS.contains(&first.as_str());
        let fields = fields.then_some((&self.fields, path));
        let path_in_message = if first == "message" { rest } else { path };
        let parsed = self.parsed.as_ref().map(|json| (json, path_in_message));
        fields.into_iter().chain(parsed).collect()
    }
}
