//! Values that the API hides.

use serde_json::Value;

const MIN_CHARS: usize = 3;

/// Whether a value is only stars or bullets, as the API shows secrets.
pub(super) fn is_masked(value: &Value) -> bool {
    let Value::String(text) = value else {
        return false;
    };
    let is_mark = |character: char| matches!(character, '*' | '•' | '●');
    text.chars().count() >= MIN_CHARS && text.chars().all(is_mark)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stars_and_bullets_are_masks() {
        assert!(is_masked(&json!("********")));
        assert!(is_masked(&json!("•••")));
        for value in [
            json!(""),
            json!("**"),
            json!("*** a"),
            json!(null),
            json!(3),
        ] {
            assert!(!is_masked(&value), "{value}");
        }
    }
}
