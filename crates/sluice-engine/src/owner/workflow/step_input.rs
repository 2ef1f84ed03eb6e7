//! The input of a step: the event, the exports of earlier steps, and the context of the run.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use sluice_infra::Settings;
use sluice_model::workflow::DeployedStep;
use sluice_store::{runs::Run, workflows::Workflow};

use super::step_call::StepCall;
use crate::commit::{iso, progress::Progress};

/// The message for one step, as JSON on one line.
pub(super) fn step_input(call: &StepCall<'_>, step: &DeployedStep, urls: &RunUrls) -> String {
    let StepCall {
        workflow,
        progress,
        event,
        tested,
        ..
    } = call;
    let context = run_context(workflow, &progress.run, tested.is_some());
    let mut input = String::with_capacity(event.len() + 1024);
    // Writing to a string cannot fail.
    let _ = write!(
        input,
        r#"{{"step":{},"steps":{{"trigger":{{"event":{event},"context":{}}}"#,
        Value::from(step.name.as_str()),
        Value::Object(context.clone()),
    );
    let given = tested.unwrap_or_default();
    for (name, exports) in given.iter().chain(&progress.exports) {
        let _ = write!(input, ",{}:{exports}", Value::from(name.as_str()));
    }
    let _ = write!(
        input,
        r#"}},"context":{},"resume_url":{},"cancel_url":{}}}"#,
        Value::Object(step_context(context, progress)),
        Value::from(urls.resume_url.as_str()),
        Value::from(urls.cancel_url.as_str()),
    );
    input
}

/// The URLs that resume and cancel a waiting run.
pub struct RunUrls {
    pub resume_url: String,
    pub cancel_url: String,
}

impl RunUrls {
    pub fn of(settings: &Settings, key: &str) -> RunUrls {
        let base = &settings.public_url;
        RunUrls {
            resume_url: format!("{base}/workflows/resume/{key}"),
            cancel_url: format!("{base}/workflows/cancel/{key}"),
        }
    }
}

/// `steps.trigger.context`.
fn run_context(workflow: &Workflow, run: &Run, is_test: bool) -> Map<String, Value> {
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
        "test": is_test,
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
