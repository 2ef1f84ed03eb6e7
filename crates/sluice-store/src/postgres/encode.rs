//! Parameters in PostgreSQL's binary form, ready to be sent, once or again.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::{
    error::{Result, StoreError},
    value::Value,
};

/// One encoded parameter; `None` is null.
#[derive(Debug)]
pub(super) struct Encoded(Option<BytesMut>);

impl Encoded {
    pub(super) fn size(&self) -> usize {
        self.0.as_ref().map_or(0, BytesMut::len)
    }
}

/// The parameters of a statement with these types.
pub(super) fn parameters(types: &[Type], values: &[Value<'_>]) -> Result<Vec<Encoded>> {
    check_count(types.len(), values.len())?;
    let encode = |(ty, value): (&Type, &Value<'_>)| {
        let mut out = BytesMut::new();
        let is_null = encode(*value, ty, &mut out)?;
        Ok(Encoded((!is_null).then_some(out)))
    };
    types.iter().zip(values).map(encode).collect()
}

/// The columns of rows of `width` values as arrays with elements of these types.
pub(super) fn arrays(types: &[Type], width: usize, values: &[Value<'_>]) -> Result<Vec<Encoded>> {
    check_count(types.len(), width)?;
    check_count(values.len() % width, 0)?;
    let column = |(index, ty): (usize, &Type)| {
        let cells = values.iter().skip(index).step_by(width);
        array(ty, values.len() / width, cells)
    };
    types.iter().enumerate().map(column).collect()
}

/// One dimension, counted from 1.
fn array<'v>(
    ty: &Type,
    length: usize,
    cells: impl Iterator<Item = &'v Value<'v>>,
) -> Result<Encoded> {
    let mut out = BytesMut::new();
    out.put_i32(1);
    // Whether there may be nulls.
    out.put_i32(1);
    out.put_u32(ty.oid());
    out.put_i32(size(length)?);
    out.put_i32(1);
    for cell in cells {
        let length_at = out.len();
        out.put_i32(-1);
        if !encode(*cell, ty, &mut out)? {
            let length = size(out.len() - length_at - 4)?;
            if let Some(mut place) = out.get_mut(length_at..length_at + 4) {
                place.put_i32(length);
            }
        }
    }
    Ok(Encoded(Some(out)))
}

fn size(length: usize) -> Result<i32> {
    i32::try_from(length)
        .map_err(|_| StoreError::Invalid("a parameter of more than 2 GB".to_owned()))
}

fn check_count(expected: usize, given: usize) -> Result<()> {
    if expected == given {
        return Ok(());
    }
    Err(StoreError::Internal(format!(
        "{given} parameters instead of {expected}"
    )))
}

/// Appends a value and returns whether it is null.
fn encode(value: Value<'_>, ty: &Type, out: &mut BytesMut) -> Result<bool> {
    let encoded = match value {
        Value::Null => return Ok(true),
        Value::Int(number) => number.to_sql_checked(ty, out),
        Value::Bool(flag) => flag.to_sql_checked(ty, out),
        Value::Text(text) => text.to_sql_checked(ty, out),
        Value::Blob(bytes) => bytes.to_sql_checked(ty, out),
    };
    encoded
        .map(|_| false)
        .map_err(|error| StoreError::Internal(error.to_string()))
}

impl ToSql for Encoded {
    fn to_sql(
        &self,
        _ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match &self.0 {
            None => Ok(IsNull::Yes),
            Some(bytes) => {
                out.extend_from_slice(bytes);
                Ok(IsNull::No)
            }
        }
    }

    /// It was encoded for the type of its parameter.
    fn accepts(_ty: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
