//! Components that are described by JSON instead of being run.
//!
//! The code of a component is `module.exports = {…};` with the fields of a component: `name`, `version`, `key`, `type`,
//! `dedupe` and `props`. `run` and the members of `hooks` are objects that describe the effects of a call:
//!
//! - `"emit": [[data, metadata], …]` emits these events. `"emit": "event"` emits the list `emits` of the event or else its
//!   body, and `"emit": "props"` emits the values of its props.
//! - `"log": "…"` writes a line, and `"fail": "…"` throws an error with this message.

use serde_json::{Map, Value, json, value::to_raw_value};
use sluice_code::CodeTree;
use sluice_runtime::{
    Call, Emit, LogLevel,
    scripted::{ScriptedInvocation, ScriptedOutcome, ScriptedProcesses},
};

const BEFORE: &str = "module.exports = ";

/// The code of a component with a name and a version.
pub(crate) fn component(fields: Value) -> String {
    let mut description = json!({ "name": "Test", "version": "0.0.1", "run": {} });
    if let (Value::Object(all), Value::Object(fields)) = (&mut description, fields) {
        all.extend(fields);
    }
    format!("{BEFORE}{description};")
}

pub(crate) fn processes() -> ScriptedProcesses {
    ScriptedProcesses::new(outcome).with_shape(shape)
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

fn outcome(invocation: &ScriptedInvocation) -> ScriptedOutcome {
    let module = &invocation.modules[0];
    let description = description(&module.code);
    let effects = match invocation.call {
        Call::Hook(hook) => &description["hooks"][hook.as_str()],
        _ => &description["run"],
    };
    let outcome = match effects["fail"].as_str() {
        Some(message) => ScriptedOutcome::failure("Error", message),
        None => ScriptedOutcome::success(),
    };
    let outcome = match effects["log"].as_str() {
        Some(line) => outcome.log(LogLevel::Info, line),
        None => outcome,
    };
    let emits = emits(&effects["emit"], &invocation.event, &module.props);
    emits
        .iter()
        .map(emit)
        .fold(outcome, ScriptedOutcome::emit_with)
}

fn emits(described: &Value, event: &Value, props: &Map<String, Value>) -> Vec<Value> {
    match described.as_str() {
        Some("event") => match event.get("emits").and_then(Value::as_array) {
            Some(emits) => emits.clone(),
            None => vec![json!([event["body"]])],
        },
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
        id: text("id"),
        channel: text("name").unwrap_or_default(),
        summary: text("summary"),
        ts: meta.get("ts").cloned(),
        delivery_ts: meta["delivery_ts"].as_i64(),
    }
}
