//! What a component did when it was run once.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};
use sluice_runtime::{Emit, Outcome, Reply, StepOutcome};

use crate::commands::{
    output::{BAD, CHANGED, FAINT, GOOD, duration, styled},
    places::in_file,
};

#[derive(Debug, Serialize)]
pub(super) struct Report {
    emits: Vec<Emitted>,
    logs: Vec<Logged>,
    response: Option<Response>,
    exports: Map<String, Value>,
    returned: Option<Value>,
    sends: Vec<Value>,
    error: Option<Thrown>,
    /// What it wrote to its key-value store; null for what it deleted.
    db: Map<String, Value>,
    duration_ms: u64,
}

#[derive(Debug, Serialize)]
struct Emitted {
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
struct Logged {
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
struct Thrown {
    name: String,
    message: String,
    stack: String,
}

impl Report {
    /// `file` is what the file of the component is called.
    pub(super) fn new(file: &str, outcome: Outcome, reply: Option<Reply>) -> Report {
        let named = |text: &str| in_file(file, text);
        let (mut exports, sends, reply_at_end) = outcome
            .step
            .map_or_else(Default::default, |done| step(*done));
        let returned = exports.shift_remove("$return_value");
        let logs = outcome.logs.iter().map(|line| Logged {
            level: line.level.as_str(),
            message: named(&line.message),
        });
        Report {
            emits: outcome.emits.into_iter().map(emitted).collect(),
            logs: logs.collect(),
            response: reply.or(reply_at_end).map(response),
            exports,
            returned,
            sends,
            error: outcome.failure.map(|failure| Thrown {
                stack: named(&failure.to_log()),
                message: named(&failure.message),
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

    pub(super) fn is_good(&self) -> bool {
        self.error.is_none()
    }

    /// For people: in the order in which one looks at it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for Logged { level, message } in &self.logs {
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
            let told = if heading.is_empty() {
                event
            } else {
                format!("{}\n{event}", styled(FAINT, &heading.join("  ")))
            };
            row(&mut text, &styled(GOOD, "emit"), "emit", &told);
        }
        for (name, value) in &self.exports {
            let told = format!("{name} = {}", pretty(value));
            row(&mut text, &styled(GOOD, "export"), "export", &told);
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
            let told = format!("{status} {body}");
            row(
                &mut text,
                &styled(GOOD, "respond"),
                "respond",
                told.trim_end(),
            );
        }
        for (key, value) in &self.db {
            let told = format!("{key} = {}", pretty(value));
            row(&mut text, &styled(FAINT, "db"), "db", &told);
        }
        if let Some(Thrown { stack, .. }) = &self.error {
            row(&mut text, &styled(BAD, "error"), "error", stack);
        }
        let took = duration(i64::try_from(self.duration_ms).unwrap_or(i64::MAX));
        let _ = writeln!(text, "{}", styled(FAINT, &format!("It took {took}")));
        text
    }
}

const ROOM: usize = 9;

/// A mark, and lines that stand behind it.
fn row(text: &mut String, mark: &str, word: &str, told: &str) {
    let indented = told.replace('\n', &format!("\n{}", " ".repeat(ROOM)));
    let pad = " ".repeat(ROOM - word.len());
    let _ = writeln!(text, "{mark}{pad}{indented}");
}

fn step(step: StepOutcome) -> (Map<String, Value>, Vec<Value>, Option<Reply>) {
    let exports = serde_json::from_str(step.exports.get()).unwrap_or_default();
    let sends = step
        .sends
        .iter()
        .map(|send| json!({ "kind": send.kind.as_str(), "payload": parsed(&send.payload) }));
    (exports, sends.collect(), step.reply)
}

fn emitted(emit: Emit) -> Emitted {
    Emitted {
        event: emit.data,
        id: emit.id,
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
