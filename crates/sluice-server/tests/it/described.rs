//! Components that are described by JSON instead of being run.
//!
//! The code of a component is `module.exports = {…};` with the fields of a component: `name`, `version`, `key`, `type`,
//! `dedupe` and `props`. `run` and the members of `hooks` are objects that describe the effects of a call:
//!
//! - `"emit": [[data, metadata], …]` emits these events. `"emit": "asked"` emits the list `emits` of the event or else its
//!   body, and fails if `emits` is no list. `"emit": "event"` emits the event, and `"emit": "props"` the values of the props.
//! - `"log": "…"` writes a line, and `"log": "asked"` writes the lines `lines` of the event.
//! - In a step, `"return"` is its return value: `"steps"` and `"props"` return these, and other values themselves. `"send"` lists
//!   `[kind, payload]`, and `"flow"` is `exit`, `delay` or `rerun`.
//! - `"fail": "…"` throws an error with this message, and `"fail_if": "…"` throws one if this prop is true.

use std::sync::Arc;

use serde_json::{Map, Value, json, value::to_raw_value};
use sluice_code::CodeTree;
use sluice_model::Clock;
use sluice_runtime::{
    Call, Emit, EmitId, Flow, LogLevel, Send, SendKind,
    scripted::{ScriptedInvocation, ScriptedModule, ScriptedOutcome, ScriptedProcesses},
};

const BEFORE: &str = "module.exports = ";

/// Log lines have the time of `clock`.
pub(crate) fn processes(clock: Arc<dyn Clock>) -> ScriptedProcesses {
    ScriptedProcesses::new(move |invocation| outcome(invocation, clock.now_ms())).with_shape(shape)
}

fn description(code: &str) -> Value {
    let text = code.trim().strip_prefix(BEFORE.trim_end());
    let text = text.map(|text| text.trim_end_matches(';'));
    serde_json::from_str(text.unwrap_or("null")).unwrap_or_default()
}

fn shape(tree: &CodeTree) -> Value {
    let mut shape = description(tree.code());
    let Some(fields) = shape.as_object_mut() else {
        return json!({});
    };
    let props = rows(fields.remove("props"));
    let hooks: Vec<String> = members(fields.remove("hooks"))
        .map(|(name, _)| name)
        .collect();
    let has_run = fields.remove("run").is_some_and(|run| run.is_object());
    fields.extend([
        ("props".to_owned(), props),
        ("hooks".to_owned(), json!(hooks)),
        ("hasRun".to_owned(), json!(has_run)),
    ]);
    shape
}

fn rows(props: Option<Value>) -> Value {
    let rows = members(props).map(|(name, def)| json!({ "name": name, "def": def }));
    rows.collect()
}

fn members(object: Option<Value>) -> impl Iterator<Item = (String, Value)> {
    let object = object.and_then(|object| match object {
        Value::Object(object) => Some(object),
        _ => None,
    });
    object.unwrap_or_default().into_iter()
}

fn outcome(invocation: &ScriptedInvocation, now_ms: i64) -> ScriptedOutcome {
    let of_step = |module: &&ScriptedModule| Some(module.name.as_str()) == invocation.step();
    let module = invocation.modules.iter().find(of_step);
    let module = module.unwrap_or(&invocation.modules[0]);
    let description = description(&module.code);
    let effects = match invocation.call {
        Call::Hook(hook) => &description["hooks"][hook.as_str()],
        _ => &description["run"],
    };
    let asks_to_fail = effects["fail_if"]
        .as_str()
        .is_some_and(|prop| module.props.get(prop) == Some(&Value::Bool(true)));
    let is_wrong = effects["emit"] == "asked"
        && invocation
            .event
            .get("emits")
            .is_some_and(|emits| !emits.is_array());
    let outcome = match effects["fail"].as_str() {
        Some(message) => ScriptedOutcome::failure("Error", message),
        None if asks_to_fail => ScriptedOutcome::failure("Error", "a prop says so"),
        None if is_wrong => ScriptedOutcome::failure("TypeError", "emits is no list"),
        None => ScriptedOutcome::success(),
    };
    let lines = logs(&effects["log"], &invocation.event);
    let outcome = lines.into_iter().fold(outcome, |outcome, line| {
        outcome.log_at(now_ms, LogLevel::Info, line)
    });
    let outcome = match invocation.call {
        Call::Step => step(outcome, effects, &invocation.event, &module.props),
        _ => outcome,
    };
    let emits = emits(&effects["emit"], &invocation.event, &module.props);
    emits
        .iter()
        .map(emit)
        .fold(outcome, ScriptedOutcome::emit_with)
}

fn step(
    outcome: ScriptedOutcome,
    effects: &Value,
    event: &Value,
    props: &Map<String, Value>,
) -> ScriptedOutcome {
    let returned = match effects["return"].as_str() {
        Some("steps") => event["steps"].clone(),
        Some("props") => json!(props),
        _ => effects["return"].clone(),
    };
    let outcome = outcome
        .inputs(json!(props))
        .export("$return_value", returned);
    let outcome = match effects["flow"].as_str() {
        Some("exit") => outcome.flow(Flow::Exit { reason: None }),
        Some("delay") => outcome.flow(Flow::Delay { ms: 60_000 }),
        Some("rerun") => outcome.flow(Flow::Rerun {
            ms: 60_000,
            context: to_raw_value(&json!(null)).unwrap_or_default(),
            max_retries: 3,
        }),
        _ => outcome,
    };
    let sends = effects["send"].as_array().into_iter().flatten();
    sends.fold(outcome, |outcome, send| {
        outcome.send(Send {
            kind: SendKind::parse(send[0].as_str().unwrap_or_default()).expect("a kind of sends"),
            payload: to_raw_value(&send[1]).unwrap_or_default(),
        })
    })
}

fn logs<'a>(described: &'a Value, event: &'a Value) -> Vec<&'a str> {
    match described.as_str() {
        Some("asked") => {
            let lines = event["lines"].as_array();
            lines
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect()
        }
        line => line.into_iter().collect(),
    }
}

fn emits(described: &Value, event: &Value, props: &Map<String, Value>) -> Vec<Value> {
    match described.as_str() {
        Some("asked") => match event.get("emits") {
            Some(emits) => emits.as_array().cloned().unwrap_or_default(),
            None => vec![json!([event["body"]])],
        },
        Some("event") => vec![json!([event])],
        Some("props") => vec![json!([props])],
        _ => described.as_array().cloned().unwrap_or_default(),
    }
}

/// An event of the form `[data, metadata]`.
fn emit(described: &Value) -> Emit {
    let meta = &described[1];
    let text = |field: &str| match &meta[field] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    Emit {
        data: to_raw_value(&described[0]).unwrap_or_default(),
        id: text("id").map_or(EmitId::Missing, EmitId::Text),
        channel: text("name").unwrap_or_default(),
        summary: text("summary"),
        ts: meta.get("ts").cloned(),
        delivery_ts: meta["delivery_ts"].as_i64(),
    }
}
