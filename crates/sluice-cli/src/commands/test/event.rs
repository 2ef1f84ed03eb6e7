//! The event of a test run: the given one, or a sample of what a server would send.

use serde_json::{Map, Value, json};
use sluice_model::{ComponentKind, ComponentShape, PropType, TimerSpec};

/// The event for `run`. For a step it is the trigger event of the workflow.
pub(super) fn event(
    shape: &ComponentShape,
    values: &Map<String, Value>,
    given: Option<Value>,
    now_ms: i64,
) -> Value {
    let has = |wanted| shape.props_of(wanted).next().is_some();
    let timer = shape.props_of(&PropType::Timer).next();
    match given {
        given if has(&PropType::Http) => request(given),
        Some(given) => given,
        None if shape.kind == ComponentKind::Action => request(None),
        None => timer.map_or_else(
            || json!({}),
            |timer| tick(values.get(&timer.name), now_ms / 1000),
        ),
    }
}

/// A request with the given fields and defaults for the others. A timer tick is returned as it is.
fn request(given: Option<Value>) -> Value {
    let given = match given {
        None => Map::from_iter([("body".to_owned(), json!({ "hello": "world" }))]),
        Some(Value::Object(fields)) if fields.contains_key("timestamp") => return fields.into(),
        Some(Value::Object(fields)) => fields,
        Some(other) => return other,
    };
    let mut request = json!({
        "method": "POST",
        "path": "/",
        "query": {},
        "headers": { "host": "localhost", "content-type": "application/json" },
        "client_ip": "127.0.0.1",
        "url": "http://localhost/",
    });
    if let Some(body) = given.get("body") {
        let raw = match body {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        };
        request["bodyRaw"] = raw.into();
    }
    if let Value::Object(fields) = &mut request {
        fields.extend(given);
    }
    request
}

fn tick(configured: Option<&Value>, timestamp: i64) -> Value {
    let schedule = configured.and_then(|value| TimerSpec::from_json(value).ok());
    match schedule.unwrap_or(TimerSpec::HOURLY) {
        TimerSpec::Interval { seconds } => {
            json!({ "timestamp": timestamp, "interval_seconds": seconds })
        }
        TimerSpec::Cron { expression, .. } => json!({ "timestamp": timestamp, "cron": expression }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_of_a_request_are_filled_in() {
        let filled = request(Some(json!({ "method": "PUT", "body": { "a": 1 } })));
        assert_eq!(filled["method"], "PUT");
        assert_eq!(filled["path"], "/");
        assert_eq!(filled["bodyRaw"], r#"{"a":1}"#);
        let tick = json!({ "timestamp": 1 });
        assert_eq!(request(Some(tick.clone())), tick);
        assert_eq!(request(None)["body"], json!({ "hello": "world" }));
    }
}
