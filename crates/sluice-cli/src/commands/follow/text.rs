//! The text of events and log lines.

use std::io::{self, IsTerminal};

use serde_json::{Value, value::RawValue};
use sluice_api::{EventSummary, LogLine};

use crate::commands::output::{BAD, CHANGED, FAINT, local_time, sanitized, styled};

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For a terminal: each event with time and summary, as pretty-printed JSON.
    Terminal,
    /// One event per line, without metadata.
    Plain,
    /// One object of the API per line, with metadata.
    Json,
}

impl Format {
    pub(crate) fn new(json: bool) -> Format {
        if json {
            Format::Json
        } else if io::stdout().is_terminal() {
            Format::Terminal
        } else {
            Format::Plain
        }
    }
}

pub(crate) fn event_text(event: &EventSummary, format: Format) -> String {
    match format {
        Format::Json => json_line(event),
        Format::Plain => format!("{}\n", one_line(&event.event)),
        Format::Terminal => format!("{}\n{}\n", heading(event), pretty(&event.event)),
    }
}

/// The text of a log line, which is the same for terminals and pipes.
pub(crate) fn line_text(line: &LogLine, format: Format) -> String {
    if format == Format::Json {
        return json_line(line);
    }
    let level = match line.level.as_str() {
        "error" => styled(BAD, "error"),
        "warn" => styled(CHANGED, "warn "),
        level => styled(FAINT, &format!("{level:5}")),
    };
    let time = styled(FAINT, &local_time(line.ts));
    format!("{time}  {level}  {}\n", sanitized(&line.msg))
}

fn heading(event: &EventSummary) -> String {
    let metadata = &event.metadata;
    let mut heading = styled(FAINT, &local_time(event.indexed_at_ms));
    if !metadata.name.is_empty() {
        let channel = format!("  {}", sanitized(&metadata.name));
        heading.push_str(&styled(CHANGED, &channel));
    }
    if let Some(summary) = &metadata.summary {
        heading.push_str("  ");
        heading.push_str(&sanitized(&plain(summary)).replace('\n', " "));
    }
    heading
}

/// A string as it is, any other value as JSON.
fn plain(json: &RawValue) -> String {
    serde_json::from_str(json.get()).unwrap_or_else(|_| json.get().to_owned())
}

fn pretty(json: &RawValue) -> String {
    let value: Result<Value, _> = serde_json::from_str(json.get());
    let text = value.and_then(|value| serde_json::to_string_pretty(&value));
    sanitized(&text.unwrap_or_else(|_| json.get().to_owned()))
}

/// JSON on one line. Line ends inside of strings are escaped, so only whitespace is replaced.
fn one_line(json: &RawValue) -> String {
    json.get().replace(['\n', '\r'], " ")
}

fn json_line(item: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(item).expect("API types serialize to JSON");
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
    fn piped_output_has_one_event_per_line() {
        let event = event(&json!({"summary": "S"}));
        let line = event_text(&event, Format::Plain);
        assert_eq!(line, "{\"a\":[1,\"\u{9b}2J\"]}\n");
        let line = event_text(&event, Format::Json);
        assert_eq!(line.lines().count(), 1);
        let whole: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(whole["metadata"]["summary"], "S");
    }

    #[test]
    fn terminals_get_time_and_summary_without_control_characters() {
        let metadata = json!({"name": "c", "summary": "two\n\u{1b}[2Jlines\u{7}"});
        let text = seen(&event_text(&event(&metadata), Format::Terminal));
        let (heading, json) = text.split_once('\n').unwrap();
        assert!(heading.ends_with("  c  two lines"), "{heading:?}");
        assert_eq!(json, "{\n  \"a\": [\n    1,\n    \"2J\"\n  ]\n}\n");
    }

    #[test]
    fn a_log_line_has_time_level_and_message() {
        let line = |level: &str, msg: &str| {
            let line = json!({"id": "1", "ts": 0, "k": "console", "level": level, "msg": msg, "invocation_id": null});
            let line: LogLine = serde_json::from_value(line).unwrap();
            seen(&line_text(&line, Format::Plain))
        };
        assert!(line("info", "a\u{1b}[31mb").ends_with("  info   ab\n"));
        assert!(line("error", "one\n  two").ends_with("  error  one\n  two\n"));
        assert!(line("warn", "w").ends_with("  warn   w\n"));
    }
}
