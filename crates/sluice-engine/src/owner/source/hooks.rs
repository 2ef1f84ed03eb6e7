//! Errors of hooks: the log lines and the error, as observations.

use serde_json::{Value, json};
use sluice_model::Hook;
use sluice_runtime::{Failure, LogLine, Outcome};

use crate::{
    commit::builder::failure as server_failure,
    owner::{lifecycle::HookError, observations},
};

/// The error of a hook that threw.
pub(super) fn failed(hook: Hook, outcome: &Outcome) -> Option<HookError> {
    let failure = outcome.failure.as_ref()?;
    Some(HookError {
        observations: observe(hook, &outcome.logs, failure),
    })
}

/// The error of a hook that could not run.
pub(super) fn rejected(hook: Hook, failure: &Failure) -> HookError {
    HookError {
        observations: observe(hook, &[], failure),
    }
}

pub(super) fn died(hook: Hook, logs: &[LogLine], reason: &str, now_ms: i64) -> HookError {
    let failure = server_failure(
        "ProcessDied",
        format!("the component process died while the hook ran: {reason}"),
    );
    let mut observations = observe(hook, logs, &failure);
    if let Some(Value::Object(last)) = observations.last_mut() {
        last.insert("ts".to_owned(), json!(now_ms));
    }
    HookError { observations }
}

fn observe(hook: Hook, logs: &[LogLine], failure: &Failure) -> Vec<Value> {
    let mut rows = vec![json!({ "k": "hook", "h": hook.as_str() })];
    rows.extend(observations::lines(logs));
    rows.push(observations::error(failure));
    rows
}
