//! The values that fields are compared with.

use std::cmp::Ordering;

use serde_json::Value;

use super::pattern::fold;

/// A value of the query. It is compared as a number if it is one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    text: String,
    folded: String,
    number: Option<f64>,
}

impl Operand {
    pub(super) fn new(text: &str) -> Operand {
        Operand {
            text: text.to_owned(),
            folded: fold(text),
            number: number(text),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_number(&self) -> bool {
        self.number.is_some()
    }

    pub(super) fn equals(&self, value: &Value) -> bool {
        let is_same_number = self.number.is_some() && self.order(value) == Some(Ordering::Equal);
        is_same_number || scalar_text(value).is_some_and(|text| fold(&text) == self.folded)
    }

    /// How the value compares with this one; none if they cannot be compared.
    pub(super) fn order(&self, value: &Value) -> Option<Ordering> {
        match (self.number, value) {
            (Some(number), Value::Number(value)) => value.as_f64()?.partial_cmp(&number),
            (Some(own), Value::String(value)) => number(value)?.partial_cmp(&own),
            (None, Value::String(value)) => Some(value.as_str().cmp(&self.text)),
            _ => None,
        }
    }
}

/// The text of a value that is neither a list nor an object.
pub(super) fn scalar_text(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Bool(true) => Some("true".into()),
        Value::Bool(false) => Some("false".into()),
        Value::Null => Some("null".into()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Not the names of special numbers, which are words.
fn number(text: &str) -> Option<f64> {
    let first = text.bytes().next()?;
    let may_be_number = first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.');
    let parsed: f64 = may_be_number.then(|| text.parse().ok()).flatten()?;
    parsed.is_finite().then_some(parsed)
}
