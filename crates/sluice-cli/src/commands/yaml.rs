//! Reading and writing YAML files. The output is stable and round-trips.

use std::{borrow::Cow, path::Path};

use anyhow::anyhow;
use serde::{Serialize, Serializer, de::DeserializeOwned, ser::Error};
use serde_json::Value;
use serde_saphyr::{DefaultMessageFormatter, Localizer, Location, options, ser_options};

/// Multi-line text is written as blocks, and long lines are not folded.
pub(crate) fn to_text(value: &impl Serialize) -> String {
    let options = ser_options! {
        folded_wrap_chars: usize::MAX,
        compact_list_indent: false,
    };
    let value = serde_json::to_value(value).expect("all keys are strings");
    serde_saphyr::to_string_with_options(&Plain(&value), options)
        .expect("every JSON value has a YAML form")
}

/// Serializes JSON with plain serde types. `serde_json` with arbitrary precision serializes numbers as special structs.
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
                    serializer
                        .serialize_f64(number.ok_or_else(|| S::Error::custom("not a number"))?)
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

/// Normalizes the numbers of a value, so that equal values compare equal.
pub(crate) fn normalized(value: Value) -> Value {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(real)) => real.into(),
            (None, None) => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(normalized).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, normalized(value)))
            .collect(),
        other => other,
    }
}

/// Leaves the location out of messages, because it is shown in front.
struct WithoutLocation;

impl Localizer for WithoutLocation {
    fn attach_location<'a>(&self, message: Cow<'a, str>, _: Location) -> Cow<'a, str> {
        message
    }
}

/// Parses a file. Errors have the path, line and column in front.
pub(crate) fn from_text<T: DeserializeOwned>(path: &Path, text: &str) -> anyhow::Result<T> {
    let options = options! {
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let location = error.location().map_or_else(String::new, |location| {
            format!(":{}:{}", location.line(), location.column())
        });
        let formatter = DefaultMessageFormatter.with_localizer(&WithoutLocation);
        let message = error.render_with_formatter(&formatter);
        anyhow!("{}{location}: {message}", path.display())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn multi_line_text_is_a_block_and_long_lines_are_not_folded() {
        let long = "word ".repeat(40).trim_end().to_owned();
        let value = json!({ "name": "A: b", "list": [1, { "on": "yes" }], "code": "a\n  b\n", "long": long, "none": {} });
        let expected = format!(
            "name: \"A: b\"\nlist:\n  - 1\n  - \"on\": \"yes\"\ncode: |\n  a\n    b\nlong: {long}\nnone: {{}}\n"
        );
        assert_eq!(to_text(&value), expected);
    }

    #[test]
    fn an_error_has_its_location() {
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
        fn values_round_trip(value in json_value()) {
            let wrapped = json!({ "value": value });
            let text = to_text(&wrapped);
            let read: Value = from_text(Path::new("x"), &text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
            prop_assert_eq!(normalized(read), normalized(wrapped), "{}", text);
        }
    }
}
