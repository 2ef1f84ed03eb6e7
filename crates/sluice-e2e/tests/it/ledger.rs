//! What the database itself holds, read beside the server: the API shows only the newest hundred events.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    thread,
};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// Reads a server's database; never writes.
#[derive(Debug, Clone)]
pub(crate) enum Ledger {
    Sqlite(PathBuf),
    Postgres(String),
}

#[derive(Debug, Clone)]
pub(crate) struct StoredEvent {
    pub(crate) id: (i64, i64),
    pub(crate) channel: String,
    /// What the emit said of itself: `id`, `summary`, `ts`.
    pub(crate) meta: Value,
    pub(crate) data: Value,
}

impl StoredEvent {
    pub(crate) fn number(&self, field: &str) -> u64 {
        let value = self.data[field].as_u64();
        value.unwrap_or_else(|| panic!("no number in {field} of {}", self.data))
    }
}

impl Ledger {
    /// All events of a source or a workflow in the order they were written.
    pub(crate) fn events(&self, source: &str) -> Vec<StoredEvent> {
        let sql = "SELECT CAST(ms AS TEXT), CAST(seq AS TEXT), channel, meta, data FROM events \
                   WHERE emitter_id = $1 ORDER BY seq_no";
        let rows = self.rows(sql, source);
        let event = |row: Vec<String>| StoredEvent {
            id: (number(&row[0]), number(&row[1])),
            channel: row[2].clone(),
            meta: json(&row[3]),
            data: json(&row[4]),
        };
        rows.into_iter().map(event).collect()
    }

    /// The value of a key in the source's `$.service.db`.
    pub(crate) fn stored(&self, source: &str, key: &str) -> Option<Value> {
        let rows = self.rows("SELECT key, value FROM kv WHERE emitter_id = $1", source);
        rows.into_iter()
            .find(|row| row[0] == key)
            .map(|row| json(&row[1]))
    }

    /// The ids that `dedupe: "unique"` remembers, oldest first.
    pub(crate) fn unique_ids(&self, source: &str) -> Vec<String> {
        let sql = "SELECT dedupe FROM emitter_state WHERE emitter_id = $1 AND dedupe IS NOT NULL";
        let rows = self.rows(sql, source);
        let state = rows
            .first()
            .map_or(Value::Null, |row| json(&row[0])["unique"].clone());
        serde_json::from_value(state).unwrap_or_default()
    }

    /// How much accepted work of a source or a workflow is not committed yet.
    pub(crate) fn waiting(&self, source: &str) -> usize {
        self.count("inbox", source)
    }

    /// How many deliveries to webhooks are in a state.
    pub(crate) fn deliveries(&self, state: &str) -> usize {
        let sql = "SELECT CAST(COUNT(*) AS TEXT) FROM deliveries WHERE state = $1";
        usize::try_from(number(&self.rows(sql, state)[0][0])).expect("a count")
    }

    /// The state of each run of a workflow, by id.
    pub(crate) fn runs(&self, workflow: &str) -> BTreeMap<String, String> {
        let rows = self.rows(
            "SELECT id, state FROM runs WHERE workflow_id = $1",
            workflow,
        );
        let pair = |row: Vec<String>| (row[0].clone(), row[1].clone());
        rows.into_iter().map(pair).collect()
    }

    /// The steps that are on record as completed: run and name, as often as they are.
    pub(crate) fn completed_steps(&self, workflow: &str) -> Vec<(String, String)> {
        let sql =
            "SELECT run_id, name FROM run_steps WHERE workflow_id = $1 AND state = 'completed'";
        let pair = |row: Vec<String>| (row[0].clone(), row[1].clone());
        self.rows(sql, workflow).into_iter().map(pair).collect()
    }

    /// How much of what a workflow sends is held or has yet to go out.
    pub(crate) fn unsent(&self, workflow: &str) -> usize {
        let sql = "SELECT CAST(COUNT(*) AS TEXT) FROM sends \
                   WHERE workflow_id = $1 AND state IN ('held', 'pending')";
        usize::try_from(number(&self.rows(sql, workflow)[0][0])).expect("a count")
    }

    /// How many rows of a table belong to a source or a workflow.
    pub(crate) fn count(&self, table: &str, source: &str) -> usize {
        let sql = format!("SELECT CAST(COUNT(*) AS TEXT) FROM {table} WHERE emitter_id = $1");
        usize::try_from(number(&self.rows(&sql, source)[0][0])).expect("a count")
    }

    /// The sources that have rows in a table.
    pub(crate) fn owners_of_rows(&self, table: &str) -> BTreeSet<String> {
        let sql = format!("SELECT DISTINCT emitter_id FROM {table} WHERE emitter_id <> $1");
        self.rows(&sql, "").into_iter().flatten().collect()
    }

    /// The sources in a phase of their life, seen by users or not.
    pub(crate) fn sources_in_phase(&self, phase: &str) -> Vec<String> {
        let rows = self.rows("SELECT id FROM sources WHERE phase = $1", phase);
        rows.into_iter().flatten().collect()
    }

    /// All invocations that were ever committed for a user.
    pub(crate) fn invocations_of_user(&self, user: &str) -> u64 {
        let sql = "SELECT CAST(invocations AS TEXT) FROM usage_counts WHERE user_id = $1";
        let days = self.rows(sql, user);
        let total: i64 = days.iter().map(|row| number(&row[0])).sum();
        u64::try_from(total).expect("a count")
    }

    /// The rows of a query whose columns are all text.
    fn rows(&self, sql: &str, parameter: &str) -> Vec<Vec<String>> {
        // Off the runtime: the PostgreSQL client has one of its own.
        thread::scope(|scope| {
            let read = scope.spawn(|| match self {
                Ledger::Sqlite(path) => sqlite_rows(path.clone(), sql, parameter),
                Ledger::Postgres(url) => postgres_rows(url, sql, parameter),
            });
            read.join().expect("the database can be read")
        })
    }
}

fn sqlite_rows(path: PathBuf, sql: &str, parameter: &str) -> Vec<Vec<String>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .expect("the database file opens");
    let mut statement = connection.prepare(sql).expect("the query is right");
    let columns = statement.column_count();
    let rows = statement.query_map([parameter], |row| {
        (0..columns).map(|column| row.get(column)).collect()
    });
    rows.and_then(Iterator::collect).expect("the rows are text")
}

fn postgres_rows(url: &str, sql: &str, parameter: &str) -> Vec<Vec<String>> {
    let mut client = postgres::Client::connect(url, postgres::NoTls).expect("PostgreSQL is there");
    let rows = client
        .query(sql, &[&parameter])
        .expect("the query is right");
    let texts = |row: &postgres::Row| (0..row.len()).map(|column| row.get(column)).collect();
    rows.iter().map(texts).collect()
}

fn number(text: &str) -> i64 {
    text.parse().expect("a number")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}
