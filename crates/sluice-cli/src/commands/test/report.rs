//! The result of one run of a component, as text and as JSON.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};
use sluice_runtime::{Emit, Outcome, Reply, StepOutcome};

use crate::commands::{
    error_location::with_file_name,
    output::{BAD, CHANGED, FAINT, GOOD, duration, styled},
};

#[derive(Debug, Serialize)]
pub(super) struct Report {
    emits: Vec<EmitReport>,
    logs: Vec<LogReport>,
    response: Option<Response>,
    exports: Map<String, Value>,
    returned: Option<Value>,
    sends: Vec<Value>,
    error: Option<ThrownError>,
    /// The changes of its key-value store. Null for deleted keys.
    db: Map<String, Value>,
    duration_ms: u64,
}

#[derive(Debug, Serialize)]
struct EmitReport {
    event: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<Value>,
}

#[derive(Debug, Serialize)]
struct LogReport {
    level: &'static str,
    message: String,
}

#[derive(Debug, Serialize)]
struct Response {
    status: u16,
    headers: Map<String, Value>,
    body: String,
}

#[derive(Debug, Serialize)]
struct ThrownError {
    name: String,
    message: String,
    stack: String,
}

impl Report {
    /// `file` is the name of the component file.
    pub(super) fn new(file: &str, outcome: Outcome, reply: Option<Reply>) -> Report {
        let rename = |text: &str| with_file_name(file, text);
        let (mut exports, sends, reply_at_end) = outcome
            .step
            .map_or_else(Default::default, |done| step(*done));
        let returned = exports.shift_remove("$return_value");
        let logs = outcome.logs.iter().map(|line| LogReport {
            level: line.level.as_str(),
            message: rename(&line.message),
        });
        Report {
            emits: outcome.emits.into_iter().map(emit_report).collect(),
            logs: logs.collect(),
            response: reply.or(reply_at_end).map(response),
            exports,
            returned,
            sends,
            error: outcome.failure.map(|failure| ThrownError {
                stack: rename(&failure.to_log()),
                message: rename(&failure.message),
                name: failure.name,
            }),
            db: outcome
                .writes
                .into_iter()
                .map(|(key, value)| (key, value.map_or(Value::Null, |value| parsed(&value))))
                .collect(),
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn is_success(&self) -> bool {
        self.error.is_none()
    }

    /// The report as text: logs, output, and the error last.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for LogReport { level, message } in &self.logs {
            let style = match *level {
                "error" => BAD,
                "warn" => CHANGED,
                _ => FAINT,
            };
            row(&mut text, &styled(style, "log"), "log", message);
        }
        for emit in &self.emits {
            let heading = [Some(emit.name.as_str()), emit.summary.as_deref()];
            let heading: Vec<&str> = heading
                .into_iter()
                .flatten()
                .filter(|part| !part.is_empty())
                .collect();
            let event = pretty(&parsed(&emit.event));
            let text_of_emit = if heading.is_empty() {
                event
            } else {
                format!("{}\n{event}", styled(FAINT, &heading.join("  ")))
            };
            row(&mut text, &styled(GOOD, "emit"), "emit", &text_of_emit);
        }
        for (name, value) in &self.exports {
            let entry = format!("{name} = {}", pretty(value));
            row(&mut text, &styled(GOOD, "export"), "export", &entry);
        }
        if let Some(returned) = &self.returned {
            row(
                &mut text,
                &styled(GOOD, "return"),
                "return",
                &pretty(returned),
            );
        }
        for send in &self.sends {
            row(&mut text, &styled(GOOD, "send"), "send", &pretty(send));
        }
        if let Some(Response { status, body, .. }) = &self.response {
            let reply = format!("{status} {body}");
            row(
                &mut text,
                &styled(GOOD, "respond"),
                "respond",
                reply.trim_end(),
            );
        }
        for (key, value) in &self.db {
            let entry = format!("{key} = {}", pretty(value));
            row(&mut text, &styled(FAINT, "db"), "db", &entry);
        }
        if let Some(ThrownError { stack, .. }) = &self.error {
            row(&mut text, &styled(BAD, "error"), "error", stack);
        }
        let took = duration(i64::try_from(self.duration_ms).unwrap_or(i64::MAX));
        let _ = writeln!(text, "{}", styled(FAINT, &format!("took {took}")));
        text
    }
}

const LABEL_WIDTH: usize = 9;

/// A label, with the text indented behind it.
fn row(text: &mut String, label: &str, plain_label: &str, content: &str) {
    let indented = content.replace('\n', &format!("\n{}", " ".repeat(LABEL_WIDTH)));
    let pad = " ".repeat(LABEL_WIDTH - plain_label.len());
    let _ = writeln!(text, "{label}{pad}{indented}");
}

fn step(step: StepOutcome) -> (Map<String, Value>, Vec<Value>, Option<Reply>) {
    let exports = serde_json::from_str(step.exports.get()).unwrap_or_default();
    let sends = step
        .sends
        .iter()
        .map(|send| json!({ "kind": send.kind.as_str(), "payload": parsed(&send.payload) }));
    (exports, sends.collect(), step.reply)
}

fn emit_report(emit: Emit) -> EmitReport {
    EmitReport {
        event: emit.data,
        id: emit.id.as_text().map(str::to_owned),
        name: emit.channel,
        summary: emit.summary,
        ts: emit.ts,
    }
}

fn response(reply: Reply) -> Response {
    Response {
        status: reply.status,
        headers: reply
            .headers
            .into_iter()
            .map(|(name, value)| (name.to_lowercase(), value.into()))
            .collect(),
        body: String::from_utf8_lossy(&reply.body).into_owned(),
    }
}

fn parsed(json: &RawValue) -> Value {
    serde_json::from_str(json.get()).unwrap_or_default()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
