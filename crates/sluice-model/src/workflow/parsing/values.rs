//! Values of props: any JSON, in which strings may hold expressions.

use serde_json::{Number, Value};

use super::{
    fields::Field,
    node::{NodeValue, Text},
};
use crate::workflow::{expressions, fault::Read};

/// The largest whole number that JavaScript tells from its neighbours.
const MAX_EXACT: i64 = 9_007_199_254_740_991;

/// Finding the place of each takes time.
const MAX_FAULTS_OF_TEXT: usize = 20;

pub(super) fn json(field: &Field<'_>) -> Read<Value> {
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
            read.into_iter().collect::<Read<Vec<_>>>().map(Value::Array)
        }
        NodeValue::Object(_) => {
            let entries = field.entries()?;
            let read: Vec<_> = entries
                .map(|(entry, value)| Ok((entry.key.clone(), json(&value)?)))
                .collect();
            read.into_iter().collect::<Read<_>>().map(Value::Object)
        }
    }
}

fn number(field: &Field<'_>, written: &str) -> Read<Number> {
    let Some(number) = field.node.value.number() else {
        let message = "is not a number that JSON has; put it in quotes if it is text";
        return Err(field.fault(message));
    };
    // A whole number that fits no i64 is read as a fraction, without its last digits.
    let is_exact = match number.as_i64() {
        Some(whole) => (-MAX_EXACT..=MAX_EXACT).contains(&whole),
        None => !number.is_u64() && !is_whole(written),
    };
    if !is_exact {
        let message = "is too large for JavaScript to keep its digits; put it in quotes";
        return Err(field.fault(message));
    }
    Ok(number)
}

fn is_whole(written: &str) -> bool {
    let mut chars = written.trim_start_matches(['-', '+']).chars();
    chars.all(|char| char.is_ascii_digit())
}

fn check_expressions(field: &Field<'_>, text: &Text) -> Read<()> {
    let Err(faults) = expressions::split(&text.text) else {
        return Ok(());
    };
    let mut read = Ok(());
    for fault in faults.into_iter().take(MAX_FAULTS_OF_TEXT) {
        let place = text.place_of_offset(fault.offset);
        read = Err(field.fault_at(place.unwrap_or(field.node.place), fault.message));
    }
    read
}
