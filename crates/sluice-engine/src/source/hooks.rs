//! What a failed hook reports: its log lines and its error, as observations.

use serde_json::{Value, json};
use sluice_model::Hook;
use sluice_runtime::{Failure, LogLine, Outcome};

use super::HookError;
use crate::observations;

/// The observations of a hook that failed, or nothing when it did not.
pub(super) fn failed(hook: Hook, outcome: &Outcome) -> Option<HookError> {
    let failure = outcome.failure.as_ref()?;
    Some(HookError {
        observations: told(hook, &outcome.logs, failure),
    })
}

/// The observations of a hook that was not run.
pub(super) fn refused(hook: Hook, failure: &Failure) -> HookError {
    HookError {
        observations: told(hook, &[], failure),
    }
}

pub(super) fn died(hook: Hook, logs: &[LogLine], reason: &str, now_ms: i64) -> HookError {
    let failure = Failure {
        name: "ProcessDied".to_owned(),
        message: format!("the component process died while the hook ran: {reason}"),
        stack: String::new(),
        code: None,
    };
    let mut observations = told(hook, logs, &failure);
    if let Some(Value::Object(last)) = observations.last_mut() {
        last.insert("ts".to_owned(), json!(now_ms));
    }
    HookError { observations }
}

fn told(hook: Hook, logs: &[LogLine], failure: &Failure) -> Vec<Value> {
    let mut rows = vec![json!({ "k": "hook", "h": hook.as_str() })];
    rows.extend(observations::lines(logs));
    rows.push(observations::error(failure));
    rows
}
