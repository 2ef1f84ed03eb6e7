//! From text, as it is typed or given with a flag, to the value of a prop.

use std::{fmt::Write, time::Duration};

use serde_json::{Map, Value, json};
use sluice_model::{PropDef, PropType, configure};

/// The value that `text` means for a prop of this type. Whether it suits is another question: [`fault`].
pub(crate) fn value_of(prop_type: &PropType, text: &str) -> Value {
    match prop_type {
        PropType::String | PropType::DataStore => Value::from(text),
        PropType::Array(_) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => list,
            _ => Value::Array(vec![element_of(prop_type, text)]),
        },
        PropType::Timer => timer_of(text),
        PropType::HttpRequest => match serde_json::from_str(text) {
            Ok(request @ Value::Object(_)) => request,
            _ => json!({ "url": text }),
        },
        PropType::Sql => match serde_json::from_str(text) {
            Ok(statement @ Value::Object(_)) => statement,
            _ => Value::from(text),
        },
        PropType::Boolean
        | PropType::Integer
        | PropType::Object
        | PropType::Any
        | PropType::App
        | PropType::Http
        | PropType::Apphook
        | PropType::Db
        | PropType::Dir
        | PropType::Alert
        | PropType::Other(_) => json_or_text(text),
    }
}

/// One element of a list of this type.
pub(crate) fn element_of(prop_type: &PropType, text: &str) -> Value {
    match prop_type {
        PropType::Array(element) if element.as_str() == "string" => Value::from(text),
        _ => json_or_text(text),
    }
}

pub(crate) fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// `15m`, `90` seconds, or a cron expression.
fn timer_of(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(schedule @ Value::Object(_)) => return schedule,
        Ok(Value::Number(seconds)) => return json!({ "intervalSeconds": seconds }),
        _ => {}
    }
    match humantime::parse_duration(text) {
        Ok(interval) => json!({ "intervalSeconds": interval.as_secs() }),
        Err(_) => json!({ "cron": text }),
    }
}

/// A value as somebody would type it.
pub(crate) fn text_of(value: &Value) -> String {
    let interval = value
        .get("intervalSeconds")
        .or_else(|| value.get("interval_seconds"));
    match (value, interval.and_then(Value::as_u64), value.get("cron")) {
        (Value::String(text), _, _) => text.clone(),
        (_, Some(seconds), _) => {
            humantime::format_duration(Duration::from_secs(seconds)).to_string()
        }
        (_, None, Some(Value::String(cron))) => cron.clone(),
        _ => value.to_string(),
    }
}

/// What is wrong with a value, in words that go on from the name of the prop.
pub(crate) fn fault(prop: &PropDef, value: &Value) -> Option<String> {
    let given = Map::from_iter([(prop.name.clone(), value.clone())]);
    let faults = configure(std::slice::from_ref(prop), &given, None).err()?;
    let mut words = String::new();
    for fault in &faults {
        let separator = if words.is_empty() { "" } else { "; " };
        let _ = write!(words, "{separator}{}", fault.reason);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(prop_type: &str, text: &str) -> Value {
        value_of(&PropType::parse(prop_type).unwrap(), text)
    }

    #[test]
    fn text_means_what_its_type_says() {
        for (prop_type, text, meant) in [
            ("string", "5", json!("5")),
            ("string", "{\"a\": 1}", json!("{\"a\": 1}")),
            ("integer", "5", json!(5)),
            ("integer", "five", json!("five")),
            ("boolean", "true", json!(true)),
            ("object", "{\"a\": 1}", json!({"a": 1})),
            ("any", "5", json!(5)),
            ("any", "a b", json!("a b")),
            ("string[]", "[\"a\", \"b\"]", json!(["a", "b"])),
            ("string[]", "5", json!(["5"])),
            ("integer[]", "5", json!([5])),
            ("data_store", "5", json!("5")),
            ("sql", "select 1", json!("select 1")),
            ("sql", "{\"query\": \"q\"}", json!({"query": "q"})),
            ("http_request", "http://x", json!({"url": "http://x"})),
            ("http_request", "{\"url\": \"u\"}", json!({"url": "u"})),
        ] {
            assert_eq!(value(prop_type, text), meant, "{prop_type} {text}");
        }
    }

    #[test]
    fn a_timer_is_an_interval_or_a_cron_expression_and_reads_back() {
        for (text, meant) in [
            ("15m", json!({"intervalSeconds": 900})),
            ("1h 30m", json!({"intervalSeconds": 5400})),
            ("0 9 * * 1-5", json!({"cron": "0 9 * * 1-5"})),
        ] {
            assert_eq!(value("$.interface.timer", text), meant);
            assert_eq!(text_of(&meant), text);
        }
        let stored = json!({"cron": null, "interval_seconds": 60});
        assert_eq!(text_of(&stored), "1m");
        assert_eq!(
            value("$.interface.timer", "90"),
            json!({"intervalSeconds": 90})
        );
        let whole = json!({"cron": "* * * * *", "timezone": "UTC"});
        assert_eq!(value("$.interface.timer", &whole.to_string()), whole);
    }

    #[test]
    fn faults_go_on_from_the_name() {
        let prop = |def: Value| PropDef::from_declaration("n", def).unwrap();
        let count = prop(json!({"type": "integer", "min": 1}));
        assert_eq!(
            fault(&count, &json!(0)).as_deref(),
            Some("must be at least 1")
        );
        assert_eq!(fault(&count, &json!(1)), None);
        let timer = prop(json!("$.interface.timer"));
        let told = fault(&timer, &value("$.interface.timer", "often")).unwrap();
        assert!(told.starts_with("is not a valid cron expression"), "{told}");
    }
}
