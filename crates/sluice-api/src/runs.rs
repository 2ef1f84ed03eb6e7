//! Runs of workflows: what they did, and having them again.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sluice_model::{
    DeploymentId, InvocationId, WorkflowId,
    workflow::{PauseKind, RunError},
};
use utoipa::{IntoParams, ToSchema};

/// A run of a workflow.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Run {
    #[schema(value_type = String)]
    pub id: InvocationId,
    #[schema(value_type = String, example = "p_3qCgb2")]
    pub workflow_id: WorkflowId,
    #[schema(value_type = String, example = "d_mJc8Qk")]
    pub deployment_id: DeploymentId,
    /// The number of the version that it takes.
    pub version: u32,
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// `http`, `timer`, `manual` or `event`.
    pub source_type: String,
    /// Who emitted the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitter_id: Option<String>,
    /// The first run for the event, when this is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub replay_of: Option<InvocationId>,
    /// Epoch milliseconds, as are the other times.
    pub accepted_at_ms: i64,
    pub started_at_ms: Option<i64>,
    pub finished_at_ms: Option<i64>,
    /// From its start to its end, with what it waited.
    pub duration_ms: Option<i64>,
    /// When it goes on by itself, or is given up.
    pub due_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<RunWait>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// Why it ended before its last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_reason: Option<String>,
    /// What triggered it; in lists over 1 KB a `TruncatedEvent`, unless `expand=run` is given.
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    /// In the order in which they ran; a step that ran several times stands here as often.
    pub steps: Vec<RunStep>,
    pub sends: Vec<RunSend>,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunWait {
    /// `delay`, `suspend`, `rerun` or `retry`.
    #[schema(value_type = String)]
    pub kind: PauseKind,
    pub step: Option<String>,
    /// Any request to it makes the run go on.
    pub resume_url: Option<String>,
    /// Any request to it ends the run.
    pub cancel_url: Option<String>,
}

/// One time that a step ran.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunStep {
    pub name: String,
    /// Counted from 0.
    pub position: u32,
    /// Counted from 1.
    pub attempt: u32,
    /// `completed`, `failed`, or `repeated` when it asked to be run again.
    pub state: String,
    pub started_at_ms: i64,
    pub duration_ms: u64,
    /// An object; in lists over 1 KB a `TruncatedEvent`, unless `expand=run` is given.
    #[schema(value_type = Value)]
    pub exports: Box<RawValue>,
    /// A list of `{ts, level, message}`; in lists over 1 KB a `TruncatedEvent`, unless `expand=run` is given.
    #[schema(value_type = Value)]
    pub logs: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// What the run waited for after it, or still waits for: `delay`, `suspend`, `rerun` or `retry`; left out when it went on at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub waited_for: Option<PauseKind>,
}

/// Something that a step sent with `$.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunSend {
    pub id: String,
    pub step: String,
    /// `http`, `email`, `s3`, `emit` or `sse`.
    pub kind: String,
    /// `held` while the run is under way, then `pending`, and at last `sent` or `failed`.
    pub state: String,
    pub tries: u32,
    /// What came of the last try.
    pub result: Option<String>,
}

/// Which runs of a workflow to list, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunsQuery {
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: Option<String>,
    /// `run` returns each run whole, however large.
    pub expand: Option<String>,
}

/// Where a replay begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayFrom {
    Start,
    /// After the steps that were completed, as far as the version that runs now has the same in the same order.
    Failed,
}

/// Body of `POST /workflows/{id}/runs/{run_id}/replay`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReplayRun {
    /// Left out: from the start.
    pub from: Option<ReplayFrom>,
}

/// The states of runs that can be replayed by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayedState {
    Failed,
}

/// Body of `POST /workflows/{id}/runs/replay`. Runs that are not over are left out, and of several runs for the same event all
/// but the last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReplayRuns {
    /// Left out: from the start.
    pub from: Option<ReplayFrom>,
    /// Left out: all that are over.
    pub state: Option<ReplayedState>,
    /// The oldest run.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub start_id: Option<String>,
    /// The newest run.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub end_id: Option<String>,
}

/// What a replay of several runs did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedRuns {
    /// How many runs were begun.
    pub count: u64,
}

/// What became of a run that waited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    pub id: InvocationId,
    pub state: String,
}
