//! The connection that query functions see: three operations, the same on both databases.
//!
//! SQL is written once, with `?1` placeholders, in the syntax that SQLite and PostgreSQL share.

use crate::{
    error::{Result, StoreError},
    row::{FromRow, Row},
    value::Value,
};

/// Which database is under a [`Conn`], for the few places where their SQL differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// A connection inside a transaction.
///
/// After a statement fails the transaction is lost: every later call on the same connection fails
/// with the same error, and so does the transaction, even if the closure answers `Ok`. This is how
/// PostgreSQL behaves; the store makes SQLite do the same.
pub trait Conn {
    /// Runs one statement and returns how many rows it changed.
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64>;

    /// Runs one statement and hands its rows to `each`, in order.
    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()>;

    /// Runs several statements without parameters, as migrations need.
    fn execute_script(&mut self, sql: &str) -> Result<()>;

    /// Which database this is.
    fn dialect(&self) -> Dialect;
}

/// All rows of a query.
pub fn query_all<T: FromRow>(c: &mut dyn Conn, sql: &str, params: &[Value<'_>]) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    c.query(sql, params, &mut |row| {
        rows.push(T::from_row(row)?);
        Ok(())
    })?;
    Ok(rows)
}

/// The only row of a query, or none. More than one row is an error.
pub fn query_opt<T: FromRow>(
    c: &mut dyn Conn,
    sql: &str,
    params: &[Value<'_>],
) -> Result<Option<T>> {
    let mut found = None;
    c.query(sql, params, &mut |row| {
        if found.is_some() {
            return Err(StoreError::Internal(format!("more than one row: {sql}")));
        }
        found = Some(T::from_row(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// The row of a query that always has exactly one.
pub fn query_one<T: FromRow>(c: &mut dyn Conn, sql: &str, params: &[Value<'_>]) -> Result<T> {
    query_opt(c, sql, params)?.ok_or_else(|| StoreError::Internal(format!("no row: {sql}")))
}
