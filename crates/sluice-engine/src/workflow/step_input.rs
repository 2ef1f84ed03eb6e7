//! What a step is given: the event, what the steps before it exported, and what the run knows about itself.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sluice_infra::Settings;
use sluice_model::workflow::DeployedStep;
use sluice_store::{runs::Run, workflows::Workflow};

use super::progress::Progress;
use crate::error_event::iso;

/// The message of one step, as JSON on one line. `event` is that of the run, with the paths of its files.
pub(super) fn step_input(
    workflow: &Workflow,
    step: &DeployedStep,
    progress: &Progress,
    event: &str,
    addresses: &Addresses,
) -> String {
    let context = run_context(workflow, &progress.run);
    let mut input = String::with_capacity(event.len() + 1024);
    // Writing to a String cannot fail.
    let _ = write!(
        input,
        r#"{{"step":{},"steps":{{"trigger":{{"event":{event},"context":{}}}"#,
        Value::from(step.name.as_str()),
        Value::Object(context.clone()),
    );
    for (name, exports) in &progress.exports {
        let _ = write!(input, ",{}:{exports}", Value::from(name.as_str()));
    }
    let _ = write!(
        input,
        r#"}},"context":{},"resume_url":{},"cancel_url":{}}}"#,
        Value::Object(step_context(context, progress)),
        Value::from(addresses.resume_url.as_str()),
        Value::from(addresses.cancel_url.as_str()),
    );
    input
}

/// Where a run that waits can be resumed and cancelled.
pub struct Addresses {
    pub resume_url: String,
    pub cancel_url: String,
}

impl Addresses {
    pub fn of(settings: &Settings, key: &str) -> Addresses {
        let base = &settings.public_url;
        Addresses {
            resume_url: format!("{base}/workflows/resume/{key}"),
            cancel_url: format!("{base}/workflows/cancel/{key}"),
        }
    }
}

/// `steps.trigger.context`.
fn run_context(workflow: &Workflow, run: &Run) -> Map<String, Value> {
    let origin = &run.origin;
    let trace = origin.replay_of.as_ref().unwrap_or(&run.id);
    let context = json!({
        "id": run.id,
        "ts": iso(run.started_at),
        "workflow_id": workflow.id,
        "workflow_name": workflow.name,
        "deployment_id": run.deployment_id,
        "source_type": origin.source_type,
        "verified": false,
        "owner_id": workflow.user_id,
        "platform_version": env!("CARGO_PKG_VERSION"),
        "emitter_id": origin.emitter_id,
        "trace_id": trace,
        "replay": origin.replay_of.is_some(),
        "test": false,
    });
    match context {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// `$.context`.
fn step_context(mut context: Map<String, Value>, progress: &Progress) -> Map<String, Value> {
    let callback: Option<Value> = progress
        .callback
        .as_ref()
        .and_then(|request| serde_json::from_str(request.get()).ok());
    context.insert("JIT".to_owned(), Value::Bool(false));
    context.insert(
        "run".to_owned(),
        json!({
            "runs": progress.attempts + 1,
            "context": progress.rerun_context,
            "callback_request": callback,
        }),
    );
    context
}
