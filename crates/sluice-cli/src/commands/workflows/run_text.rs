//! The text of a run.

use std::fmt::Write;

use serde_json::{Value, value::RawValue};
use sluice_api::{Run, RunStep};
use sluice_model::workflow::RunError;

use super::place_text::place_lines;
use crate::commands::output::{
    BAD, CHANGED, FAINT, GOOD, Table, duration, fields, local_time, styled,
};

/// Characters of an input that are shown.
const MAX_INPUT: usize = 200;

/// All details of one run.
pub(super) fn run_text(run: &Run) -> String {
    let mut lines = vec![
        ("run", run.id.to_string()),
        ("state", state(&run.state)),
        ("version", run.version.to_string()),
        ("source", run.source_type.clone()),
        (
            "started",
            run.started_at_ms.map_or_else(|| "-".to_owned(), local_time),
        ),
    ];
    lines.extend(run.duration_ms.map(|ms| ("took", duration(ms))));
    let original = run.replay_of.as_ref();
    lines.extend(original.map(|id| ("replay of", id.to_string())));
    if let Some(waits) = &run.waits_for {
        let kind = serde_json::to_value(waits.kind).unwrap_or_default();
        let step = waits.step.as_deref().unwrap_or("-");
        let kind = kind.as_str().unwrap_or_default();
        lines.push(("waiting", format!("{kind} of step {step}")));
        let urls = [("resume", &waits.resume_url), ("cancel", &waits.cancel_url)];
        lines.extend(
            urls.into_iter()
                .filter_map(|(name, url)| Some((name, url.clone()?))),
        );
    }
    lines.extend(
        run.exit_reason
            .clone()
            .map(|reason| ("ended early", reason)),
    );
    lines.extend(run.error.as_ref().map(|error| ("error", error_text(error))));
    let mut text = fields(&lines);
    for step in &run.steps {
        text.push('\n');
        text.push_str(&step_text(step, "document"));
    }
    if !run.sends.is_empty() {
        let mut table = Table::new(&["SENT", "STEP", "STATE", "ATTEMPTS", "RESULT"]);
        for send in &run.sends {
            table.row(vec![
                send.kind.clone(),
                send.step.clone(),
                send.state.clone(),
                send.tries.to_string(),
                send.result.clone().unwrap_or_default(),
            ]);
        }
        text.push('\n');
        text.push_str(&table.to_text());
    }
    text
}

/// A step with its inputs, exports and logs. `document` is the name of the document in the place of its error.
pub(super) fn step_text(step: &RunStep, document: &str) -> String {
    let ms = i64::try_from(step.duration_ms).unwrap_or(i64::MAX);
    let attempt = if step.attempt > 1 {
        format!(", attempt {}", step.attempt)
    } else {
        String::new()
    };
    let mut text = format!(
        "{} {}  {}\n",
        mark(&step.state),
        step.name,
        styled(FAINT, &format!("{}{attempt}", duration(ms)))
    );
    let inputs = step.inputs.as_deref().map(entries).unwrap_or_default();
    for (name, value) in inputs {
        let value = shortened(&value.to_string());
        line(&mut text, &styled(FAINT, &format!("{name}: {value}")));
    }
    for (name, value) in entries(&step.exports) {
        line(&mut text, &format!("{name} = {value}"));
    }
    for log in logs(&step.logs) {
        line(&mut text, &styled(FAINT, &format!("│ {log}")));
    }
    if let Some(error) = &step.error {
        line(&mut text, &styled(BAD, &error_text(error)));
    }
    for row in step
        .error_place
        .iter()
        .flat_map(|place| place_lines(place, document))
    {
        line(&mut text, &row);
    }
    text
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_INPUT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

pub(super) fn line(text: &mut String, line: &str) {
    writeln!(text, "    {line}").expect("writing to a string succeeds");
}

fn entries(exports: &RawValue) -> Vec<(String, Value)> {
    match serde_json::from_str(exports.get()) {
        Ok(Value::Object(exports)) => exports.into_iter().collect(),
        _ => Vec::new(),
    }
}

fn logs(logs: &RawValue) -> Vec<String> {
    let Ok(Value::Array(lines)) = serde_json::from_str(logs.get()) else {
        return Vec::new();
    };
    let message = |line: &Value| line["message"].as_str().map(str::to_owned);
    lines.iter().filter_map(message).collect()
}

pub(super) fn error_text(error: &RunError) -> String {
    let text = format!("{}: {}", error.code, error.message);
    match &error.step {
        Some(step) => format!("{text} (step {step})"),
        None => text,
    }
}

pub(super) fn state(state: &str) -> String {
    let style = match state {
        "succeeded" => GOOD,
        "failed" | "cancelled" => BAD,
        _ => CHANGED,
    };
    styled(style, state)
}

fn mark(state: &str) -> String {
    match state {
        "completed" => styled(GOOD, "✓"),
        "failed" => styled(BAD, "✗"),
        _ => styled(CHANGED, "↻"),
    }
}
