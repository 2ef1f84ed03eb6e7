//! One line of text about an event, for lists.

use serde::Deserialize;
use serde_json::Value;

/// The longest summary, in bytes.
const MAX_BYTES: usize = 240;

#[derive(Deserialize)]
struct Meta {
    summary: Option<Value>,
}

/// The summary in the metadata of an emit, else the beginning of its data. Both are JSON.
pub fn event_summary(meta: &str, data: &str) -> String {
    let meta = serde_json::from_str::<Meta>(meta).ok();
    match meta.and_then(|meta| meta.summary) {
        None | Some(Value::Null) => beginning(data),
        Some(Value::String(text)) if text.is_empty() => beginning(data),
        Some(Value::String(text)) => beginning(&text),
        Some(other) => beginning(&other.to_string()),
    }
}

fn beginning(text: &str) -> String {
    // PostgreSQL cannot store NUL.
    text[..text.floor_char_boundary(MAX_BYTES)].replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_given_summary_is_preferred_to_the_data() {
        let given = |meta: &str| event_summary(meta, "{\"n\":1}");
        assert_eq!(given(r#"{"summary":"Order 7","id":"a"}"#), "Order 7");
        assert_eq!(given(r#"{"summary":7}"#), "7");
        for meta in ["{}", "", r#"{"summary":""}"#, r#"{"summary":null}"#] {
            assert_eq!(given(meta), "{\"n\":1}", "{meta}");
        }
    }

    #[test]
    fn a_summary_is_short_and_has_no_nul() {
        assert_eq!(event_summary("{}", &"ä".repeat(500)).len(), MAX_BYTES);
        assert_eq!(event_summary(r#"{"summary":"a\u0000b"}"#, "1"), "ab");
    }
}
