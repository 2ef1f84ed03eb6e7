//! `Conn` over the postgres crate: parameters in, columns out, statements prepared once.

use std::{collections::HashMap, error::Error as StdError};

use ::postgres::{
    Client, Statement,
    fallible_iterator::FallibleIterator,
    types::{IsNull, ToSql, Type, to_sql_checked},
};
use bytes::BytesMut;

use super::{errors::store_error, placeholders::translate};
use crate::{
    conn::{Conn, Dialect},
    error::{Result, StoreError},
    job::Access,
    row::{Columns, Row},
    value::Value,
};

/// More than the query modules have. Reached only by SQL made at run time; then all go at once.
const CACHED_STATEMENTS: usize = 1_024;

/// A connection on its own thread, with its prepared statements by their text.
pub(super) struct PostgresConn {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl PostgresConn {
    pub(super) fn new(client: Client) -> Self {
        PostgresConn {
            client,
            statements: HashMap::new(),
        }
    }

    pub(super) fn begin(&mut self, access: Access) -> Result<()> {
        self.execute_script(match access {
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        })
    }

    /// Ends the transaction with `COMMIT` or `ROLLBACK`.
    pub(super) fn end(&mut self, how: &'static str) -> Result<()> {
        self.execute_script(how)
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self
            .client
            .prepare(&translate(sql))
            .map_err(|error| store_error(&error))?;
        if self.statements.len() >= CACHED_STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Conn for PostgresConn {
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        let statement = self.statement(sql)?;
        let params: Vec<&(dyn ToSql + Sync)> = params
            .iter()
            .map(|param| param as &(dyn ToSql + Sync))
            .collect();
        self.client
            .execute(&statement, &params)
            .map_err(|error| store_error(&error))
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let statement = self.statement(sql)?;
        let mut rows = self
            .client
            .query_raw(&statement, params)
            .map_err(|error| store_error(&error))?;
        while let Some(row) = rows.next().map_err(|error| store_error(&error))? {
            each(&Row::new(&row))?;
        }
        Ok(())
    }

    fn execute_script(&mut self, sql: &str) -> Result<()> {
        self.client
            .batch_execute(sql)
            .map_err(|error| store_error(&error))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(number) => number.to_sql_checked(ty, out),
            Value::Bool(flag) => flag.to_sql_checked(ty, out),
            Value::Text(text) => text.to_sql_checked(ty, out),
            Value::Blob(bytes) => bytes.to_sql_checked(ty, out),
        }
    }

    /// Each value checks its own type.
    fn accepts(_ty: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Columns for ::postgres::Row {
    fn column(&self, index: usize) -> Result<Value<'_>> {
        let column = self
            .columns()
            .get(index)
            .ok_or_else(|| StoreError::Internal(format!("no column {index}")))?;
        let value = match *column.type_() {
            Type::INT8 => self
                .try_get::<_, Option<i64>>(index)
                .map(|cell| cell.map(Value::Int)),
            Type::BOOL => self
                .try_get::<_, Option<bool>>(index)
                .map(|cell| cell.map(Value::Bool)),
            Type::TEXT => self
                .try_get::<_, Option<&str>>(index)
                .map(|cell| cell.map(Value::Text)),
            Type::BYTEA => self
                .try_get::<_, Option<&[u8]>>(index)
                .map(|cell| cell.map(Value::Blob)),
            ref other => {
                return Err(StoreError::Internal(format!(
                    "column {index} has type {other}, which no schema of ours uses"
                )));
            }
        };
        match value {
            Ok(cell) => Ok(cell.unwrap_or(Value::Null)),
            Err(error) => Err(StoreError::Corrupt(error.to_string())),
        }
    }
}
