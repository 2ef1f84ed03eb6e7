//! The summary of a source after it was deployed or updated.

use serde_json::{Map, Value};
use sluice_api::Source;
use sluice_model::TimerSpec;

use crate::commands::output::{FAINT, GOOD, fields, styled};

/// The summary of a new source, with a command that sends it a request.
pub(crate) fn deployed_summary(source: &Source, url: &str) -> String {
    let heading = format!("{} {}\n", styled(GOOD, "Deployed"), source.name_slug);
    let example = endpoint(source).map_or_else(String::new, |endpoint| {
        let curl = format!(
            "curl -H 'content-type: application/json' -d '{{\"hello\": \"world\"}}' {endpoint}"
        );
        format!("\n{}\n  {curl}\n", styled(FAINT, "Send a test request:"))
    });
    format!("{heading}{}{example}", source_fields(source, url))
}

/// The names and URLs of a source.
pub(crate) fn source_fields(source: &Source, url: &str) -> String {
    let mut lines = vec![("id", source.id.to_string()), ("name", source.name.clone())];
    if !source.active {
        lines.push(("state", "inactive".to_owned()));
    }
    lines.extend(endpoint(source).map(|endpoint| ("endpoint", endpoint.to_owned())));
    let schedules = schedules(&source.configured_props).into_iter();
    lines.extend(schedules.map(|schedule| ("timer", schedule)));
    lines.push(("stream", format!("{url}/v1/sources/{}/sse", source.id)));
    fields(&lines)
}

/// The schedules of a source's timers, such as `every 15m` or a cron expression with its time zone.
pub(crate) fn schedules(props: &Map<String, Value>) -> Vec<String> {
    props.values().filter_map(schedule).collect()
}

pub(crate) fn has_endpoint(props: &Map<String, Value>) -> bool {
    props
        .values()
        .any(|value| value.get("endpoint_url").is_some())
}

fn endpoint(source: &Source) -> Option<&str> {
    let mut values = source.configured_props.values();
    values.find_map(|value| value.get("endpoint_url")?.as_str())
}

fn schedule(value: &Value) -> Option<String> {
    // Other objects may have one of these fields, but only timers have both.
    value.get("cron").and(value.get("interval_seconds"))?;
    Some(match TimerSpec::from_json(value).ok()? {
        TimerSpec::Interval { seconds } => {
            let interval = std::time::Duration::from_secs(seconds.into());
            format!("every {}", humantime::format_duration(interval))
        }
        TimerSpec::Cron {
            expression,
            timezone,
        } => format!("{expression} ({})", timezone.as_deref().unwrap_or("UTC")),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(props: &Value) -> Source {
        serde_json::from_value(json!({
            "id": "dc_abc", "component_id": "sc_abc", "configured_props": props, "active": true,
            "version": 1, "created_at": 0, "updated_at": 0, "name": "Hello", "name_slug": "hello",
        }))
        .unwrap()
    }

    fn summary(props: &Value) -> String {
        let text = deployed_summary(&source(props), "http://s");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn an_endpoint_is_shown_with_an_example_request() {
        let text = summary(&json!({"http": {"endpoint_url": "http://s/e/1"}}));
        assert_eq!(
            text,
            "Deployed hello\nid        dc_abc\nname      Hello\nendpoint  http://s/e/1\nstream    http://s/v1/sources/dc_abc/sse\n\n\
             Send a test request:\n  curl -H 'content-type: application/json' -d '{\"hello\": \"world\"}' http://s/e/1\n"
        );
    }

    #[test]
    fn a_schedule_is_shown_as_text() {
        let every = summary(&json!({"timer": {"cron": null, "interval_seconds": 900}}));
        assert!(every.contains("timer   every 15m\n"), "{every}");
        let cron = summary(
            &json!({"timer": {"cron": "0 9 * * *", "interval_seconds": null}, "o": {"cron": "x"}}),
        );
        assert!(cron.contains("timer   0 9 * * * (UTC)\n"), "{cron}");
        let props = json!({"timer": {"cron": "0 9 * * *", "interval_seconds": null, "timezone": "Asia/Tokyo"}});
        assert_eq!(
            schedules(props.as_object().unwrap()),
            ["0 9 * * * (Asia/Tokyo)"]
        );
    }
}
