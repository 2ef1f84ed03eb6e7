//! Runs of workflows, and their replay.

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
    /// The number of the version that it runs.
    pub version: u32,
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// `http`, `timer`, `manual` or `event`.
    pub source_type: String,
    /// The emitter of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub emitter_id: Option<String>,
    /// The first run for the event, if this run is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub replay_of: Option<InvocationId>,
    /// Epoch milliseconds, as are the other times.
    pub accepted_at_ms: i64,
    #[schema(required = true)]
    pub started_at_ms: Option<i64>,
    #[schema(required = true)]
    pub finished_at_ms: Option<i64>,
    /// From start to end, including pauses.
    #[schema(required = true)]
    pub duration_ms: Option<i64>,
    /// When the pause ends: the run continues or is cancelled.
    #[schema(required = true)]
    pub due_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub waits_for: Option<RunWait>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// Where the error is in the document. Only in the response for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_place: Option<ErrorPlace>,
    /// Why it ended before its last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub exit_reason: Option<String>,
    /// The event. In lists, a `TruncatedEvent` if it is over 1 KB, unless `expand=run` is set.
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    /// In the order in which they ran. A step that ran several times has several entries.
    pub steps: Vec<RunStep>,
    pub sends: Vec<RunSend>,
}

/// Why a run waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunWait {
    /// `delay`, `suspend`, `rerun` or `retry`.
    #[schema(value_type = String)]
    pub kind: PauseKind,
    #[schema(required = true)]
    pub step: Option<String>,
    /// A request to this URL resumes the run.
    #[schema(required = true)]
    pub resume_url: Option<String>,
    /// A request to this URL cancels the run.
    #[schema(required = true)]
    pub cancel_url: Option<String>,
}

/// One execution of a step.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunStep {
    pub name: String,
    /// Counted from 0.
    pub position: u32,
    /// Counted from 1.
    pub attempt: u32,
    /// `completed`, `failed`, or `repeated` when it requested to run again.
    pub state: String,
    pub started_at_ms: i64,
    pub duration_ms: u64,
    /// The values of its props, with secrets masked; an object. Those over 64 KB together are `TruncatedEvent`s. Null when the
    /// step did not get as far, and for runs of earlier versions of Sluice. In lists, a `TruncatedEvent` if it is over 1 KB, unless
    /// `expand=run` is set.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Box<RawValue>>,
    /// An object. In lists, a `TruncatedEvent` if it is over 1 KB, unless `expand=run` is set.
    #[schema(value_type = Value)]
    pub exports: Box<RawValue>,
    /// A list of `{ts, level, message}`. In lists, a `TruncatedEvent` if it is over 1 KB, unless `expand=run` is set.
    #[schema(value_type = Value)]
    pub logs: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// Where the error is in the document. Only in the response for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_place: Option<ErrorPlace>,
    /// The pause after it: `delay`, `suspend`, `rerun` or `retry`. Absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub waited_for: Option<PauseKind>,
}

/// The place of an error in the document of a workflow, or in a file beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorPlace {
    /// The path of a file that came with the document. Absent for the document itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Counted from 1, as is the column.
    pub line: u32,
    pub column: u32,
    /// The number of the first line of `excerpt`.
    pub first_line: u32,
    /// The lines around the place.
    pub excerpt: Vec<String>,
}

/// A message that a step sent with `$.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunSend {
    pub id: String,
    pub step: String,
    /// `http`, `email`, `s3`, `emit` or `sse`.
    pub kind: String,
    /// `held` while the run is not over, then `pending`, and finally `sent` or `failed`.
    pub state: String,
    pub tries: u32,
    /// The result of the last attempt.
    #[schema(required = true)]
    pub result: Option<String>,
}

/// Which runs of a workflow to list, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunsQuery {
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: Option<String>,
    /// Words, phrases and conditions on fields, such as `error:*declined* step:charge total:>100`. With this or with a time, all
    /// stored runs are searched.
    pub q: Option<String>,
    /// Only runs whose event was accepted at this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only runs whose event was accepted at this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
    /// `run` returns complete runs of any size.
    pub expand: Option<String>,
}

/// Where a replay starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayFrom {
    Start,
    /// After the completed steps, as far as the current version has the same steps in the same order.
    Failed,
}

/// Body of `POST /workflows/{id}/runs/{run_id}/replay`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "from": "start" }))]
pub struct ReplayRun {
    /// Default: from the start.
    pub from: Option<ReplayFrom>,
}

/// The states of runs that can be replayed by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayedState {
    Failed,
}

/// Body of `POST /workflows/{id}/runs/replay`. Runs that are not over are skipped. Of several runs for the same event, only the
/// last is replayed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "state": "failed" }))]
pub struct ReplayRuns {
    /// Default: from the start.
    pub from: Option<ReplayFrom>,
    /// Default: all finished runs.
    pub state: Option<ReplayedState>,
    /// The oldest run.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub start_id: Option<String>,
    /// The newest run.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub end_id: Option<String>,
}

/// The result of a replay of several runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedRuns {
    /// The number of started runs.
    pub count: u64,
}

/// The result of resuming or cancelling a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunState {
    pub id: InvocationId,
    pub state: String,
}
