//! Log lines and errors of a component, as the API shows them.

use serde_json::{Value, json};
use sluice_runtime::{Failure, LogLine};

pub fn lines(logs: &[LogLine]) -> impl Iterator<Item = Value> {
    logs.iter().map(|line| {
        json!({ "ts": line.ts, "k": line.kind, "level": line.level.as_str(), "msg": line.message })
    })
}

pub fn error(failure: &Failure) -> Value {
    json!({ "k": "error", "err": described(failure) })
}

pub fn described(failure: &Failure) -> Value {
    json!({ "name": failure.name, "message": failure.message, "stack": failure.stack })
}
