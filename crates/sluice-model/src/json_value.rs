//! JSON values read as texts, numbers and objects, where they may be written in more than one way.

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

/// A whole number, or text that is one and nothing more.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok().filter(|n: &i64| n.to_string() == *text),
        _ => whole_number(value),
    }
}

/// A boolean, or its name.
pub(crate) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => text.parse().ok(),
        _ => value.as_bool(),
    }
}

/// Text, or a number or boolean as text: components offer options with numbers for props that are strings.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) => Some(value.to_string()),
        Value::Number(_) => {
            let whole = whole_number(value).map(|number| number.to_string());
            Some(whole.unwrap_or_else(|| value.to_string()))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// An object, or text that is one: forms and command lines send objects as text.
pub(crate) fn object(value: &Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value.clone()),
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}
