//! Stored JSON as values.

use serde_json::Value;

/// The value of a JSON text. A text that is nested too deeply to be read counts as one string.
pub(super) fn value_of(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| Value::from(json))
}
