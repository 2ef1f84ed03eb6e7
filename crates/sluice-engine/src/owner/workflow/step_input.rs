//! The call of a step: its time limit, and its input, which is the event, the exports of earlier steps, and the context of the run.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use rand::{Rng, RngExt, distr::Alphanumeric};
use serde_json::{Map, Value, json};
use sluice_infra::Settings;
use sluice_model::{
    InvocationId,
    workflow::{DeployedStep, WorkflowDefinition},
};
use sluice_runtime::{Call, Invocation};
use sluice_store::{runs::Run, workflows::Workflow};

use crate::commit::{iso, progress::Progress};

/// Length of the random key that resumes a waiting run.
const KEY_LENGTH: usize = 40;

/// The next step of a run.
pub(super) struct StepCall<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) definition: &'a WorkflowDefinition,
    pub(super) progress: &'a Progress,
    /// The run's event with the paths of its files.
    pub(super) event: &'a str,
    /// Resumes the run if it waits after this step.
    pub(super) key: &'a str,
    /// For a test run, the exports of steps that it does not run.
    pub(super) tested: Option<&'a [(String, String)]>,
}

impl StepCall<'_> {
    pub(super) fn invocation(&self, id: InvocationId, settings: &Settings) -> Invocation {
        let step = &self.definition.steps[self.progress.position()];
        let urls = RunUrls::of(settings, self.key);
        let default = self.definition.settings.timeout_seconds;
        let timeout = step.timeout_seconds.or(default);
        Invocation {
            id,
            call: Call::Step,
            event: Arc::from(step_input(self, step, &urls)),
            timeout: timeout.map_or(settings.invocation_timeout, |seconds| {
                Duration::from_secs(seconds.into())
            }),
        }
    }
}

pub(super) fn pause_key(rng: &mut impl Rng) -> String {
    let characters = rng.sample_iter(Alphanumeric).take(KEY_LENGTH);
    characters.map(char::from).collect()
}

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
