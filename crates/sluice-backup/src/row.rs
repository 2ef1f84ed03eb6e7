//! Rows as bytes: for each value a tag, and what it needs.

use sluice_store::Value;

use crate::{BackupError, Result};

const NULL: u8 = 0;
const INT: u8 = 1;
const TEXT: u8 = 2;
const BLOB: u8 = 3;

/// Replaces `out` by the bytes of a row.
pub(crate) fn encode(values: &[Value<'_>], out: &mut Vec<u8>) {
    out.clear();
    for value in values {
        match *value {
            Value::Null => out.push(NULL),
            Value::Int(number) => int(number, out),
            Value::Bool(flag) => int(i64::from(flag), out),
            Value::Text(text) => bytes(TEXT, text.as_bytes(), out),
            Value::Blob(blob) => bytes(BLOB, blob, out),
        }
    }
}

fn int(number: i64, out: &mut Vec<u8>) {
    out.push(INT);
    out.extend_from_slice(&number.to_le_bytes());
}

fn bytes(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Appends the values of a row of `width` columns to `values`.
pub(crate) fn decode<'r>(
    mut row: &'r [u8],
    width: usize,
    values: &mut Vec<Value<'r>>,
) -> Result<()> {
    for _ in 0..width {
        let value = value(&mut row).ok_or_else(|| BackupError::damaged("a row does not decode"));
        values.push(value?);
    }
    if row.is_empty() {
        return Ok(());
    }
    Err(BackupError::damaged("a row has too many values"))
}

fn value<'r>(row: &mut &'r [u8]) -> Option<Value<'r>> {
    let (tag, rest) = row.split_first()?;
    *row = rest;
    match *tag {
        NULL => Some(Value::Null),
        INT => number(row).map(|number| Value::Int(number.cast_signed())),
        TEXT => std::str::from_utf8(sized(row)?).ok().map(Value::Text),
        BLOB => sized(row).map(Value::Blob),
        _ => None,
    }
}

fn number(row: &mut &[u8]) -> Option<u64> {
    let (number, rest) = row.split_first_chunk()?;
    *row = rest;
    Some(u64::from_le_bytes(*number))
}

fn sized<'r>(row: &mut &'r [u8]) -> Option<&'r [u8]> {
    let length = usize::try_from(number(row)?).ok()?;
    let (bytes, rest) = row.split_at_checked(length)?;
    *row = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_decodes_to_its_values() {
        let values = [
            Value::Null,
            Value::Int(-1),
            Value::Int(i64::MIN),
            Value::Text("ä"),
            Value::Text(""),
            Value::Blob(&[0, 255]),
        ];
        let mut bytes = Vec::new();
        encode(&values, &mut bytes);
        let mut decoded = Vec::new();
        decode(&bytes, values.len(), &mut decoded).unwrap();
        assert_eq!(decoded, values);
        for width in [values.len() - 1, values.len() + 1] {
            assert!(decode(&bytes, width, &mut Vec::new()).is_err());
        }
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end], values.len(), &mut Vec::new()).is_err());
        }
    }

    #[test]
    fn booleans_are_numbers() {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        encode(&[Value::Bool(true)], &mut one);
        encode(&[Value::Int(1)], &mut other);
        assert_eq!(one, other);
    }
}
