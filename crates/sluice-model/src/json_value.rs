//! JSON values read as numbers and objects, where they may be written in more than one way.

use serde_json::Value;

/// The value of a JSON number that has no fraction and fits 64 bits.
pub(crate) fn whole_number(value: &Value) -> Option<i64> {
    // The bounds of `i64` as `f64` are exact: -2^63 is inside, 2^63 just outside.
    const LOWEST: f64 = -9_223_372_036_854_775_808.0;
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let fits = number.fract() == 0.0 && (LOWEST..-LOWEST).contains(&number);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and within the bounds of i64"
        )]
        fits.then_some(number as i64)
    })
}

/// An object, or text that is one: forms and command lines send objects as text.
pub(crate) fn object(value: &Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value.clone()),
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
