//! How events and log lines are shown as they come.

use std::io::{self, IsTerminal};

use serde_json::{Value, value::RawValue};
use sluice_api::{EventSummary, LogLine};

use crate::commands::output::{BAD, CHANGED, FAINT, harmless, moment, styled};

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Somebody at a terminal: each event with its time and summary, on as many lines as it takes.
    Terminal,
    /// A program that wants what was emitted: one event to a line.
    Plain,
    /// A program that wants all that the API says: one object to a line.
    Json,
}

impl Form {
    pub(crate) fn new(json: bool) -> Form {
        if json {
            Form::Json
        } else if io::stdout().is_terminal() {
            Form::Terminal
        } else {
            Form::Plain
        }
    }
}

pub(crate) fn event_text(event: &EventSummary, form: Form) -> String {
    match form {
        Form::Json => json_line(event),
        Form::Plain => format!("{}\n", one_line(&event.event)),
        Form::Terminal => format!("{}\n{}\n", heading(event), pretty(&event.event)),
    }
}

/// A line of a log reads the same everywhere.
pub(crate) fn line_text(line: &LogLine, form: Form) -> String {
    if form == Form::Json {
        return json_line(line);
    }
    let level = match line.level.as_str() {
        "error" => styled(BAD, "error"),
        "warn" => styled(CHANGED, "warn "),
        level => styled(FAINT, &format!("{level:5}")),
    };
    let time = styled(FAINT, &moment(line.ts));
    format!("{time}  {level}  {}\n", harmless(&line.msg))
}

fn heading(event: &EventSummary) -> String {
    let metadata = &event.metadata;
    let mut heading = styled(FAINT, &moment(event.indexed_at_ms));
    if !metadata.name.is_empty() {
        let channel = format!("  {}", harmless(&metadata.name));
        heading.push_str(&styled(CHANGED, &channel));
    }
    if let Some(summary) = &metadata.summary {
        heading.push_str("  ");
        heading.push_str(&harmless(&plain(summary)).replace('\n', " "));
    }
    heading
}

/// Text as it is; anything else as JSON.
fn plain(json: &RawValue) -> String {
    serde_json::from_str(json.get()).unwrap_or_else(|_| json.get().to_owned())
}

fn pretty(json: &RawValue) -> String {
    let value: Result<Value, _> = serde_json::from_str(json.get());
    let text = value.and_then(|value| serde_json::to_string_pretty(&value));
    harmless(&text.unwrap_or_else(|_| json.get().to_owned()))
}

/// Line ends within strings are escaped; between values they mean nothing.
fn one_line(json: &RawValue) -> String {
    json.get().replace(['\n', '\r'], " ")
}

fn json_line(item: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(item).expect("what came as JSON goes as JSON");
    format!("{}\n", text.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(metadata: &Value) -> EventSummary {
        let mut event = json!({
            "id": "0-1", "indexed_at_ms": 0, "event": {"a": [1, "\u{9b}2J"]},
            "metadata": {"emit_id": "e", "name": "", "emitter_id": "dc_abc"},
        });
        let fields = metadata.as_object().unwrap().clone();
        event["metadata"].as_object_mut().unwrap().extend(fields);
        serde_json::from_value(event).unwrap()
    }

    fn seen(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn programs_get_one_event_to_a_line() {
        let event = event(&json!({"summary": "S"}));
        let line = event_text(&event, Form::Plain);
        assert_eq!(line, "{\"a\":[1,\"\u{9b}2J\"]}\n");
        let line = event_text(&event, Form::Json);
        assert_eq!(line.lines().count(), 1);
        let whole: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(whole["metadata"]["summary"], "S");
    }

    #[test]
    fn people_see_when_and_what_and_nothing_that_plays_with_the_terminal() {
        let metadata = json!({"name": "c", "summary": "two\n\u{1b}[2Jlines\u{7}"});
        let text = seen(&event_text(&event(&metadata), Form::Terminal));
        let (heading, json) = text.split_once('\n').unwrap();
        assert!(heading.ends_with("  c  two lines"), "{heading:?}");
        assert_eq!(json, "{\n  \"a\": [\n    1,\n    \"2J\"\n  ]\n}\n");
    }

    #[test]
    fn a_line_has_its_time_its_level_and_its_message() {
        let line = |level: &str, msg: &str| {
            let line = json!({"id": "1", "ts": 0, "k": "console", "level": level, "msg": msg, "invocation_id": null});
            let line: LogLine = serde_json::from_value(line).unwrap();
            seen(&line_text(&line, Form::Plain))
        };
        assert!(line("info", "a\u{1b}[31mb").ends_with("  info   ab\n"));
        assert!(line("error", "one\n  two").ends_with("  error  one\n  two\n"));
        assert!(line("warn", "w").ends_with("  warn   w\n"));
    }
}
