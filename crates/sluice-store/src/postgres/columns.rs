//! Columns of a row as values.

use tokio_postgres::{Row, types::Type};

use crate::{
    error::{Result, StoreError},
    row::Columns,
    value::Value,
};

impl Columns for Row {
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
