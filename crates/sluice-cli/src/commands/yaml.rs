//! The YAML of our own files. What is written is stable, and reads back as it was.

use std::path::Path;

use anyhow::anyhow;
use serde::{Serialize, Serializer, de::DeserializeOwned, ser::Error};
use serde_json::Value;
use serde_saphyr::{options, ser_options};

/// Text of several lines stands in blocks, and nothing is folded.
pub(crate) fn to_text(value: &impl Serialize) -> String {
    let options = ser_options! {
        folded_wrap_chars: usize::MAX,
        compact_list_indent: false,
    };
    let value = serde_json::to_value(value).expect("what we write has string keys");
    serde_saphyr::to_string_with_options(&Plain(&value), options).expect("a number is a number")
}

/// JSON in the terms that every format has: built to keep any number exactly, `serde_json` has terms of its own for them.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => {
                if let Some(whole) = number.as_i64() {
                    serializer.serialize_i64(whole)
                } else if let Some(whole) = number.as_u64() {
                    serializer.serialize_u64(whole)
                } else {
                    let number = number.as_f64();
                    serializer.serialize_f64(number.ok_or_else(|| S::Error::custom("no number"))?)
                }
            }
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Plain)),
            Value::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(key, value)| (key, Plain(value))))
            }
        }
    }
}

/// The same value with each number in its shortest form, so that equal values compare equal.
pub(crate) fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(real)) => real.into(),
            (None, None) => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, normal(value)))
            .collect(),
        other => other,
    }
}

/// Reads a file; a mistake is told with its place.
pub(crate) fn from_text<T: DeserializeOwned>(path: &Path, text: &str) -> anyhow::Result<T> {
    let options = options! {
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error.location().map_or_else(String::new, |place| {
            format!(":{}:{}", place.line(), place.column())
        });
        let message = error.to_string();
        // The place is told once, in front.
        let message = message
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned();
        anyhow!("{}{place}: {message}", path.display())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn text_of_several_lines_is_a_block_and_long_lines_stay_whole() {
        let long = "word ".repeat(40).trim_end().to_owned();
        let value = json!({ "name": "A: b", "list": [1, { "on": "yes" }], "code": "a\n  b\n", "long": long, "none": {} });
        let expected = format!(
            "name: \"A: b\"\nlist:\n  - 1\n  - \"on\": \"yes\"\ncode: |\n  a\n    b\nlong: {long}\nnone: {{}}\n"
        );
        assert_eq!(to_text(&value), expected);
    }

    #[test]
    fn a_mistake_has_its_place() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Thing {
            #[expect(dead_code, reason = "only read")]
            name: String,
        }
        let message = |text: &str| {
            let read = from_text::<Thing>(Path::new("a/b.yaml"), text);
            read.unwrap_err().to_string()
        };
        for (text, begins) in [
            ("name: x\nnmae: y\n", "a/b.yaml:2:1: unknown field"),
            ("name: [\n", "a/b.yaml:"),
            ("other: 1\n", "a/b.yaml:1:1: unknown field"),
        ] {
            let message = message(text);
            assert!(message.starts_with(begins), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,12}",
            "[a-z \\n\\t#:'\"|>-]{0,20}",
            "\\PC{0,8}",
            Just("~".to_owned()),
            Just("0x1F".to_owned()),
            Just("1_000".to_owned()),
            Just("2026-01-01".to_owned()),
            Just("\u{feff}x\r\n".to_owned()),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(|number: f64| json!(number)),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            let key = text.clone();
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in json_value()) {
            let wrapped = json!({ "value": value });
            let text = to_text(&wrapped);
            let read: Value = from_text(Path::new("x"), &text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
            prop_assert_eq!(normal(read), normal(wrapped), "{}", text);
        }
    }
}
