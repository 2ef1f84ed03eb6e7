//! A row of a result, whichever database it came from.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{Result, StoreError},
    value::{FromValue, Value, text},
};

/// One row, valid during the callback that receives it.
pub struct Row<'r> {
    columns: &'r dyn Columns,
}

/// A row of a driver.
pub(crate) trait Columns {
    fn column(&self, index: usize) -> Result<Value<'_>>;
}

impl<'r> Row<'r> {
    pub(crate) fn new(columns: &'r dyn Columns) -> Self {
        Row { columns }
    }

    /// Reads column `index`, counted from 0.
    pub fn get<T: FromValue>(&self, index: usize) -> Result<T> {
        let value = self.columns.column(index)?;
        T::from_value(value).ok_or_else(|| {
            StoreError::Corrupt(format!(
                "column {index} is no {}",
                std::any::type_name::<T>()
            ))
        })
    }

    /// Column `index` as it is.
    pub(crate) fn value(&self, index: usize) -> Result<Value<'_>> {
        self.columns.column(index)
    }

    /// Reads a column that holds JSON text.
    pub fn json<T: DeserializeOwned>(&self, index: usize) -> Result<T> {
        let value = self.columns.column(index)?;
        let json = text(value)
            .ok_or_else(|| StoreError::Corrupt(format!("column {index} is no JSON text")))?;
        serde_json::from_str(json)
            .map_err(|error| StoreError::Corrupt(format!("column {index}: {error}")))
    }

    /// Reads a column that holds JSON text or null.
    pub fn json_opt<T: DeserializeOwned>(&self, index: usize) -> Result<Option<T>> {
        match self.columns.column(index)? {
            Value::Null => Ok(None),
            _ => self.json(index).map(Some),
        }
    }
}

/// A type that is read from a whole row.
pub trait FromRow: Sized {
    fn from_row(row: &Row<'_>) -> Result<Self>;
}

/// A row of one column.
impl<T: FromValue> FromRow for T {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        row.get(0)
    }
}

/// A row of two columns.
impl<A: FromValue, B: FromValue> FromRow for (A, B) {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok((row.get(0)?, row.get(1)?))
    }
}

/// The text of a column that [`Row::json`] reads.
pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Internal(error.to_string()))
}
