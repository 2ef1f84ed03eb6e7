//! The connection that query functions see: a few operations, the same on both databases.
//!
//! SQL is written once, with `?1` placeholders, in the syntax that SQLite and PostgreSQL share.
//!
//! PostgreSQL is on the other end of a network. A statement whose result the caller does not need is therefore *deferred*:
//! it is sent with the next query, or with the commit. Queries that do not depend on each other are sent together.

use std::borrow::Cow;

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

    /// Runs a query without parameters, and hands its rows to `each` as they arrive: there may be more than fit into memory.
    fn stream(&mut self, sql: &str, each: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        self.query(sql, &[], each)
    }

    /// Runs one statement before the next query or the commit. SQLite runs it at once. On PostgreSQL its error may be that
    /// of a later call, or of the transaction.
    fn execute_later(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        self.execute(sql, params).map(drop)
    }

    /// Runs an `INSERT … VALUES (…)` for each row of `values`, which has `width` values for each of them. Deferred as
    /// [`Conn::execute_later`]. On PostgreSQL it is one statement, however many rows there are. All placeholders stand
    /// between the parentheses of `VALUES`.
    fn insert_later(&mut self, sql: &str, width: usize, values: &[Value<'_>]) -> Result<()> {
        values
            .chunks(width)
            .try_for_each(|row| self.execute(sql, row).map(drop))
    }

    /// Runs queries that do not depend on each other's rows, in order. On PostgreSQL that takes one round trip.
    fn query_together(&mut self, queries: &mut [&mut dyn Query<'_>]) -> Result<()> {
        let dialect = self.dialect();
        queries.iter_mut().try_for_each(|query| {
            let (sql, params) = (query.sql(dialect), query.params());
            self.query(&sql, &params, &mut |row| query.row(row))
        })
    }

    /// Runs several statements without parameters, as migrations need.
    fn execute_script(&mut self, sql: &str) -> Result<()>;

    /// Which database this is.
    fn dialect(&self) -> Dialect;
}

/// A query as a value, so that several can be sent together. It collects its own rows.
pub trait Query<'p> {
    fn sql(&self, dialect: Dialect) -> Cow<'static, str>;

    fn params(&self) -> Vec<Value<'p>>;

    /// Called for each row, in order.
    fn row(&mut self, row: &Row<'_>) -> Result<()>;
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

/// Whether the database answers.
pub fn ping(c: &mut dyn Conn) -> Result<()> {
    c.query("SELECT 1", &[], &mut |_| Ok(()))
}

/// The row of a query that always has exactly one.
pub fn query_one<T: FromRow>(c: &mut dyn Conn, sql: &str, params: &[Value<'_>]) -> Result<T> {
    query_opt(c, sql, params)?.ok_or_else(|| StoreError::Internal(format!("no row: {sql}")))
}
