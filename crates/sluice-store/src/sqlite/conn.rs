//! `Conn` over rusqlite: parameters in, columns out, errors classified.

use rusqlite::{
    Connection, Error, ErrorCode, ToSql, ffi, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use crate::{
    conn::{Conn, Dialect},
    error::{Result, StoreError},
    row::{Columns, Row},
    value::Value,
};

/// A connection on its own thread.
pub(super) struct SqliteConn<'c> {
    connection: &'c Connection,
}

impl<'c> SqliteConn<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        SqliteConn { connection }
    }
}

impl Conn for SqliteConn<'_> {
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        let changed = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params_from_iter(params)))
            .map_err(|error| store_error(&error))?;
        Ok(changed as u64)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .map_err(|error| store_error(&error))?;
        let mut rows = statement
            .query(params_from_iter(params))
            .map_err(|error| store_error(&error))?;
        while let Some(row) = rows.next().map_err(|error| store_error(&error))? {
            each(&Row::new(row))?;
        }
        Ok(())
    }

    fn insert_later(&mut self, sql: &str, width: usize, values: &[Value<'_>]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .map_err(|error| store_error(&error))?;
        for row in values.chunks(width) {
            statement
                .execute(params_from_iter(row))
                .map_err(|error| store_error(&error))?;
        }
        Ok(())
    }

    fn execute_script(&mut self, sql: &str) -> Result<()> {
        self.connection
            .execute_batch(sql)
            .map_err(|error| store_error(&error))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match *self {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(number),
            Value::Bool(flag) => ValueRef::Integer(i64::from(flag)),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

impl Columns for rusqlite::Row<'_> {
    fn column(&self, index: usize) -> Result<Value<'_>> {
        match self.get_ref(index).map_err(|error| store_error(&error))? {
            ValueRef::Null => Ok(Value::Null),
            ValueRef::Integer(number) => Ok(Value::Int(number)),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes)
                .map(Value::Text)
                .map_err(|error| StoreError::Corrupt(format!("column {index}: {error}"))),
            ValueRef::Blob(bytes) => Ok(Value::Blob(bytes)),
            ValueRef::Real(_) => Err(StoreError::Corrupt(format!(
                "column {index} is a floating-point number"
            ))),
        }
    }
}

/// Classifies an error by SQLite's result code, never by its message.
pub(super) fn store_error(error: &Error) -> StoreError {
    let message = error.to_string();
    let Error::SqliteFailure(failure, _) = error else {
        return StoreError::Internal(message);
    };
    match failure.code {
        ErrorCode::ConstraintViolation => match failure.extended_code {
            ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_ROWID => StoreError::Conflict(message),
            _ => StoreError::Internal(message),
        },
        ErrorCode::DiskFull
        | ErrorCode::SystemIoFailure
        | ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::CannotOpen
        | ErrorCode::OutOfMemory
        | ErrorCode::PermissionDenied
        | ErrorCode::ReadOnly
        | ErrorCode::FileLockingProtocolFailed => StoreError::Unavailable(message),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Corrupt(message),
        ErrorCode::TooBig => StoreError::Invalid(message),
        _ => StoreError::Internal(message),
    }
}
