//! Values of props: any JSON, in which strings may hold expressions.

use serde_json::{Number, Value};

use super::{
    fields::Field,
    node::{NodeValue, Text},
};
use crate::workflow::{error::ParseResult, expressions};

/// The largest integer that JavaScript represents exactly.
const MAX_EXACT: i64 = 9_007_199_254_740_991;

/// Finding the position of an error is slow.
const MAX_ERRORS_OF_TEXT: usize = 20;

pub(super) fn json(field: &Field<'_>) -> ParseResult<Value> {
    match &field.node.value {
        NodeValue::Invalid(reported) => Err(*reported),
        NodeValue::Null => Ok(Value::Null),
        NodeValue::Bool(value) => Ok(Value::Bool(*value)),
        NodeValue::Number(written) => number(field, written).map(Value::Number),
        NodeValue::Text(text) => {
            check_expressions(field, text)?;
            Ok(Value::String(text.text.clone()))
        }
        NodeValue::List(_) => {
            let read: Vec<_> = field.list()?.iter().map(json).collect();
            read.into_iter()
                .collect::<ParseResult<Vec<_>>>()
                .map(Value::Array)
        }
        NodeValue::Object(_) => {
            let entries = field.entries()?;
            let read: Vec<_> = entries
                .map(|(entry, value)| Ok((entry.key.clone(), json(&value)?)))
                .collect();
            read.into_iter()
                .collect::<ParseResult<_>>()
                .map(Value::Object)
        }
    }
}

fn number(field: &Field<'_>, written: &str) -> ParseResult<Number> {
    let Some(number) = field.node.value.number() else {
        let message = "is not a number that JSON has; put it in quotes if it is text";
        return Err(field.error(message));
    };
    // An integer that does not fit an i64 is parsed as a float, which loses its last digits.
    let is_exact = match number.as_i64() {
        Some(whole) => (-MAX_EXACT..=MAX_EXACT).contains(&whole),
        None => !number.is_u64() && !is_whole(written),
    };
    if !is_exact {
        let message = "is too large for JavaScript to keep its digits; put it in quotes";
        return Err(field.error(message));
    }
    Ok(number)
}

fn is_whole(written: &str) -> bool {
    let mut chars = written.trim_start_matches(['-', '+']).chars();
    chars.all(|char| char.is_ascii_digit())
}

fn check_expressions(field: &Field<'_>, text: &Text) -> ParseResult<()> {
    let Err(errors) = expressions::split(&text.text) else {
        return Ok(());
    };
    let mut read = Ok(());
    for error in errors.into_iter().take(MAX_ERRORS_OF_TEXT) {
        let position = text.position_of_offset(error.offset);
        read = Err(field.error_at(position.unwrap_or(field.node.position), error.message));
    }
    read
}
