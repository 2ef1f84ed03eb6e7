//! Whole databases: every row in one snapshot, and rows into an empty database. Backups and moves are made of these.
//!
//! Tables and columns come from the schema of the database, so a new table cannot be forgotten. Rows are in the order of a
//! unique key that both databases have, so equal databases give equal rows in equal order.

mod sequences;
mod session;
mod tables;

use crate::{
    conn::{Conn, Dialect},
    error::{Result, StoreError},
    migrate, registry,
    value::Value,
};

pub use sequences::{Sequence, advance_sequences, sequences};
pub use session::{fill, snapshot, update, while_unused};
pub(crate) use tables::is_empty;
pub use tables::{LEFT_OUT, Table, tables};

/// The version of the schema; an error if this program cannot use it, or there is none.
pub fn schema_version(c: &mut dyn Conn) -> Result<i64> {
    if !tables::exists(c, "schema_version")? {
        return Err(StoreError::Unusable("the database is empty".to_owned()));
    }
    if !tables::exists(c, "schema_fingerprints")? {
        return Err(migrate::other_schema());
    }
    migrate::usable_version(c)
}

/// The newest version of the schema that this program knows.
pub fn newest_schema() -> i64 {
    migrate::newest()
}

/// The hashes of the migrations that made the schema of a database.
pub fn migrations(c: &mut dyn Conn) -> Result<Vec<String>> {
    migrate::fingerprints(c)
}

/// Whether this program makes the same schema.
pub fn makes_schema_of(migrations: &[String]) -> bool {
    migrate::begin_with(migrations)
}

/// Creates the tables of a version of the schema.
pub fn create_schema(c: &mut dyn Conn, version: i64) -> Result<()> {
    migrate::apply_up_to(c, version)
}

/// Brings a database that was filled up to date: newer migrations, and the search index, which is made from the rows.
pub fn finish(c: &mut dyn Conn) -> Result<()> {
    migrate::apply(c)?;
    registry::index_all(c)
}

/// Hands every row of a table to `each`, in the order of its key. Booleans are numbers, as on SQLite.
pub fn scan(
    c: &mut dyn Conn,
    table: &Table,
    each: &mut dyn FnMut(&[Value<'_>]) -> Result<()>,
) -> Result<()> {
    let width = table.columns().len();
    c.stream(&table.select(), &mut |row| {
        let values = (0..width).map(|index| row.value(index).map(number));
        each(&values.collect::<Result<Vec<_>>>()?)
    })
}

/// Adds rows to a table: the values of one after those of the other.
pub fn insert(c: &mut dyn Conn, table: &Table, values: &[Value<'_>]) -> Result<()> {
    let sql = table.insert(c.dialect());
    let width = table.columns().len();
    match c.dialect() {
        Dialect::Sqlite => c.insert_later(&sql, width, values),
        Dialect::Postgres => c.insert_later(&sql, width, &table.typed(values)),
    }
}

fn number(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Bool(flag) => Value::Int(i64::from(flag)),
        other => other,
    }
}
