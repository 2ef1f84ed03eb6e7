//! What is told of a source that was just deployed or changed.

use serde_json::Value;
use sluice_api::Source;
use sluice_model::TimerSpec;

use crate::commands::output::{FAINT, GOOD, fields, styled};

/// A new source: what it is called, how it is reached, and how to try it.
pub(crate) fn deployed(source: &Source, url: &str) -> String {
    let heading = format!("{} {}\n", styled(GOOD, "Deployed"), source.name_slug);
    let try_it = endpoint(source).map_or_else(String::new, |endpoint| {
        let curl = format!(
            "curl -H 'content-type: application/json' -d '{{\"hello\": \"world\"}}' {endpoint}"
        );
        format!("\n{}\n  {curl}\n", styled(FAINT, "Send it something:"))
    });
    format!("{heading}{}{try_it}", way_in(source, url))
}

/// Names and addresses of a source.
pub(crate) fn way_in(source: &Source, url: &str) -> String {
    let mut lines = vec![("id", source.id.to_string()), ("name", source.name.clone())];
    if !source.active {
        lines.push(("state", "inactive".to_owned()));
    }
    lines.extend(endpoint(source).map(|endpoint| ("endpoint", endpoint.to_owned())));
    let schedules = source.configured_props.values().filter_map(schedule);
    lines.extend(schedules.map(|schedule| ("timer", schedule)));
    lines.push(("stream", format!("{url}/sources/{}/sse", source.id)));
    fields(&lines)
}

fn endpoint(source: &Source) -> Option<&str> {
    let mut values = source.configured_props.values();
    values.find_map(|value| value.get("endpoint_url")?.as_str())
}

fn schedule(value: &Value) -> Option<String> {
    // Other objects may well have a field of that name: only timers have both.
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
            "created_at": 0, "updated_at": 0, "name": "Hello", "name_slug": "hello",
        }))
        .unwrap()
    }

    fn told(props: &Value) -> String {
        let text = deployed(&source(props), "http://s");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn an_endpoint_comes_with_a_command_that_tries_it() {
        let text = told(&json!({"http": {"endpoint_url": "http://s/e/1"}}));
        assert_eq!(
            text,
            "Deployed hello\nid        dc_abc\nname      Hello\nendpoint  http://s/e/1\nstream    http://s/sources/dc_abc/sse\n\n\
             Send it something:\n  curl -H 'content-type: application/json' -d '{\"hello\": \"world\"}' http://s/e/1\n"
        );
    }

    #[test]
    fn a_schedule_is_told_in_words() {
        let every = told(&json!({"timer": {"cron": null, "interval_seconds": 900}}));
        assert!(every.contains("timer   every 15m\n"), "{every}");
        let cron = told(
            &json!({"timer": {"cron": "0 9 * * *", "interval_seconds": null}, "o": {"cron": "x"}}),
        );
        assert!(cron.contains("timer   0 9 * * * (UTC)\n"), "{cron}");
    }
}
