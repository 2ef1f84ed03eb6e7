//! The tables of a database, as its schema has them.

use crate::{
    conn::{Conn, Dialect, query_all, query_one},
    error::{Result, StoreError},
    params,
    row::{FromRow, Row},
    value::Value,
};

/// Tables without data of users: the version of the schema, which is known otherwise, running servers, and a cache of npm
/// packages.
pub const LEFT_OUT: [&str; 6] = [
    "schema_version",
    "schema_fingerprints",
    "nodes",
    "replies",
    "package_archives",
    "package_archive_chunks",
];

/// The search index and its row numbers. They are made from the other columns.
const DERIVED: [(&str, &str); 2] = [("registry", "id"), ("registry", "words")];

/// Keys of tables whose primary keys differ between the databases.
const KEYS: [(&str, &[&str]); 2] = [
    ("inbox", &["emitter_id", "id"]),
    ("registry", &["shelf", "key", "version"]),
];

/// A table, with the columns that are not derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    key: Vec<String>,
    /// Which columns are booleans on this database. SQLite has none.
    booleans: Vec<bool>,
}

impl Table {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The unique columns that rows are ordered by.
    pub fn key(&self) -> &[String] {
        &self.key
    }

    pub(super) fn select(&self) -> String {
        format!(
            "SELECT {} FROM \"{}\" ORDER BY {}",
            quoted(&self.columns),
            self.name,
            quoted(&self.key)
        )
    }

    pub(super) fn insert(&self, dialect: Dialect) -> String {
        let numbers: Vec<String> = (1..=self.columns.len()).map(|n| format!("?{n}")).collect();
        // Also numbers that the database gives out.
        let overriding = match dialect {
            Dialect::Sqlite => "",
            Dialect::Postgres => " OVERRIDING SYSTEM VALUE",
        };
        format!(
            "INSERT INTO \"{}\" ({}){overriding} VALUES ({})",
            self.name,
            quoted(&self.columns),
            numbers.join(", ")
        )
    }

    /// Numbers as booleans where the column is one.
    pub(super) fn typed<'v>(&self, values: &[Value<'v>]) -> Vec<Value<'v>> {
        let booleans = self.booleans.iter().cycle();
        let typed = |(value, is_boolean): (&Value<'v>, &bool)| match *value {
            Value::Int(number) if *is_boolean => Value::Bool(number != 0),
            other => other,
        };
        values.iter().zip(booleans).map(typed).collect()
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    quoted.join(", ")
}

struct Column {
    table: String,
    name: String,
    kind: String,
    /// Its place in the primary key, from 1; 0 if it is not part of it.
    key_place: i64,
}

impl FromRow for Column {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Column {
            table: row.get(0)?,
            name: row.get(1)?,
            kind: row.get(2)?,
            key_place: row.get(3)?,
        })
    }
}

const SQLITE_COLUMNS: &str = "SELECT t.name, c.name, c.type, c.pk \
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c \
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
    ORDER BY t.name, c.cid";

const POSTGRES_COLUMNS: &str = "SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT), \
    CAST(format_type(a.atttypid, a.atttypmod) AS TEXT), \
    CAST(COALESCE(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum) + 1, 0) AS BIGINT) \
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary \
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = CAST(current_schema() AS REGNAMESPACE) \
    ORDER BY CAST(c.relname AS TEXT) COLLATE \"C\", a.attnum";

fn columns(c: &mut dyn Conn) -> Result<Vec<Column>> {
    let sql = match c.dialect() {
        Dialect::Sqlite => SQLITE_COLUMNS,
        Dialect::Postgres => POSTGRES_COLUMNS,
    };
    query_all(c, sql, &[])
}

/// All tables but those in [`LEFT_OUT`], by name.
pub fn tables(c: &mut dyn Conn) -> Result<Vec<Table>> {
    let mut columns = columns(c)?;
    columns.retain(|column| !LEFT_OUT.contains(&column.table.as_str()));
    columns
        .chunk_by(|one, next| one.table == next.table)
        .map(table)
        .collect()
}

fn table(columns: &[Column]) -> Result<Table> {
    let name = columns.first().map(|it| it.table.clone());
    let name = name.unwrap_or_default();
    let is_derived = |it: &Column| DERIVED.contains(&(it.table.as_str(), it.name.as_str()));
    let kept: Vec<&Column> = columns.iter().filter(|it| !is_derived(it)).collect();
    let key = key(&name, columns);
    if key.is_empty() {
        let text = format!("the table {name} has no primary key");
        return Err(StoreError::Internal(text));
    }
    Ok(Table {
        columns: kept.iter().map(|it| it.name.clone()).collect(),
        booleans: kept.iter().map(|it| it.kind == "boolean").collect(),
        name,
        key,
    })
}

fn key(name: &str, columns: &[Column]) -> Vec<String> {
    if let Some((_, key)) = KEYS.iter().find(|(table, _)| *table == name) {
        return key.iter().map(|&column| column.to_owned()).collect();
    }
    let mut key: Vec<&Column> = columns.iter().filter(|it| it.key_place > 0).collect();
    key.sort_by_key(|it| it.key_place);
    key.into_iter().map(|it| it.name.clone()).collect()
}

/// Whether there is a table of this name.
pub(super) fn exists(c: &mut dyn Conn, name: &str) -> Result<bool> {
    let sql = match c.dialect() {
        Dialect::Sqlite => "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
        Dialect::Postgres => {
            "SELECT COUNT(*) FROM pg_class WHERE relkind = 'r' AND CAST(relname AS TEXT) = ?1 \
             AND relnamespace = CAST(current_schema() AS REGNAMESPACE)"
        }
    };
    query_one::<i64>(c, sql, params![name]).map(|count| count > 0)
}

/// Whether there is no table at all.
pub(crate) fn is_empty(c: &mut dyn Conn) -> Result<bool> {
    columns(c).map(|columns| columns.is_empty())
}
