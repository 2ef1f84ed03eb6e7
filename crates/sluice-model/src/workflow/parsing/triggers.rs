//! Parses the triggers of a workflow.

use serde_json::{Value, json};

use super::{
    fields::{Field, Fields, hint, optional},
    node::NodeValue,
};
use crate::{
    emitter_id::EmitterId,
    timer::{TimerSpec, check_timezone},
    workflow::{document::Trigger, error::ParseResult},
};

const KINDS: [&str; 3] = ["http", "schedule", "events"];
const INTERVALS: [&str; 2] = ["interval_seconds", "intervalSeconds"];
const SCHEDULE: [&str; 4] = ["cron", "timezone", INTERVALS[0], INTERVALS[1]];
/// In bytes. The limit of subscriptions.
const MAX_EVENT_NAME: usize = 500;

pub(super) fn read(list: &Field<'_>) -> ParseResult<Vec<Trigger>> {
    let mut http_line = None;
    let read = list.list()?.into_iter().map(|item| {
        let trigger = trigger(&item);
        if item.node.entry("http").is_some() {
            match http_line {
                None => http_line = Some(item.node.position.line),
                Some(line) => {
                    return Err(item.error(format!(
                        "a workflow has at most one http trigger; the first is on line {line}"
                    )));
                }
            }
        }
        trigger
    });
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

fn trigger(item: &Field<'_>) -> ParseResult<Trigger> {
    let mut entries = item.entries()?;
    let (Some((entry, field)), None) = (entries.next(), entries.next()) else {
        let message =
            "must be exactly one of `http`, `schedule` and `events`; each has a dash of its own";
        return Err(item.error(message));
    };
    match entry.key.as_str() {
        "http" => http(&field),
        "schedule" => schedule(&field).map(Trigger::Schedule),
        "events" => events(&field),
        other => {
            let message = format!("is not a kind of trigger; {}", hint(other, &KINDS));
            Err(field.error_at(entry.key_position, message))
        }
    }
}

/// `http:` without a value has the defaults.
fn http(field: &Field<'_>) -> ParseResult<Trigger> {
    if field.is_null() {
        return Ok(Trigger::Http {
            custom_response: None,
        });
    }
    let fields = field.fields("an http trigger", &["custom_response"])?;
    let custom_response = optional(fields.get("custom_response"), Field::boolean)?;
    Ok(Trigger::Http { custom_response })
}

fn schedule(field: &Field<'_>) -> ParseResult<TimerSpec> {
    let fields = field.fields("a schedule", &SCHEDULE)?;
    let mut intervals = INTERVALS.iter().filter_map(|key| fields.get(key));
    match (fields.get("cron"), intervals.next(), intervals.next()) {
        (Some(expression), None, _) => cron(&expression, &fields),
        (None, Some(only), None) => {
            if let Some(timezone) = fields.get("timezone") {
                timezone.error("goes with cron only");
            }
            interval(&only)
        }
        (None, None, _) => Err(field.error("needs `cron` or `interval_seconds`")),
        (Some(_), Some(second), _) | (None, Some(_), Some(second)) => {
            let message = "a schedule has only one of `cron` and `interval_seconds`";
            Err(second.error(message))
        }
    }
}

fn interval(field: &Field<'_>) -> ParseResult<TimerSpec> {
    if let NodeValue::Invalid(reported) = field.node.value {
        return Err(reported);
    }
    let seconds = field.node.value.number().map_or(json!("?"), Value::Number);
    let spec = TimerSpec::from_json(&json!({ "interval_seconds": seconds }));
    spec.map_err(|error| field.error(error))
}

fn cron(cron: &Field<'_>, fields: &Fields<'_>) -> ParseResult<TimerSpec> {
    let zone = fields.get("timezone");
    let expression = cron.string();
    let zone_name = optional(zone.clone(), Field::string);
    // Each is checked separately, so that both errors are reported.
    let alone = expression.and_then(|expression| {
        let spec = spec(expression, None);
        spec.map_err(|error| cron.error(error))
    });
    match (zone_name?, zone) {
        (Some(name), Some(zone)) => {
            check_timezone(name).map_err(|reason| zone.error(reason))?;
            alone?;
            spec(expression?, Some(name)).map_err(|error| cron.error(error))
        }
        _ => alone,
    }
}

fn spec(cron: &str, timezone: Option<&str>) -> Result<TimerSpec, String> {
    TimerSpec::from_json(&json!({ "cron": cron, "timezone": timezone }))
}

fn events(field: &Field<'_>) -> ParseResult<Trigger> {
    let fields = field.fields("an events trigger", &["from", "event_name"])?;
    let from = fields.required("from").and_then(|from| emitter(&from));
    let event_name = optional(fields.get("event_name"), channel);
    Ok(Trigger::Events {
        from: from?.to_owned(),
        event_name: event_name?.unwrap_or_default().to_owned(),
    })
}

fn emitter<'a>(field: &Field<'a>) -> ParseResult<&'a str> {
    let from = field.words()?;
    let is_slug = || {
        from.bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    if matches!(from, "dc_*" | "p_*") || EmitterId::parse(from).is_some() || is_slug() {
        return Ok(from);
    }
    Err(field.error(
        "must be the id of a source or a workflow (dc_… or p_…), its slug, or all of them: `dc_*` or `p_*`",
    ))
}

/// The default channel has two names: `default` is stored as the empty one.
fn channel<'a>(field: &Field<'a>) -> ParseResult<&'a str> {
    let name = field.string()?;
    if name.len() > MAX_EVENT_NAME {
        let message = format!("must not be longer than {MAX_EVENT_NAME} bytes");
        return Err(field.error(message));
    }
    if name.starts_with('$') && !matches!(name, "$errors" | "$logs") {
        let message = "must be `$errors` or `$logs` when it begins with $";
        return Err(field.error(message));
    }
    Ok(if name == "default" { "" } else { name })
}
