//! Traces: the tree from a request to all its effects.

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, EventId, InvocationId, WebhookId};
use utoipa::{IntoParams, ToSchema};

/// The work that a request, a tick or a manual run caused, as a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Trace {
    /// Parents before children, siblings by their start. A trace of OpenTelemetry may have several roots.
    pub nodes: Vec<TraceNode>,
    /// The `key` of the node with the requested id; null for the id of a trace of OpenTelemetry.
    #[schema(required = true)]
    pub selected: Option<String>,
    /// Whether there may be more nodes than these.
    pub truncated: bool,
}

/// A part of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceNode {
    /// Unique in the trace.
    pub key: String,
    /// The `key` of the parent; null for a root.
    #[schema(required = true)]
    pub parent: Option<String>,
    /// 0 for a root.
    pub depth: u32,
    pub kind: TraceNodeKind,
    /// The id of the invocation, event, delivery, run or send. A step has the id of its run, and an attempt that of its delivery.
    pub id: String,
    /// The name of the source, workflow, action, webhook or step; the summary of an event, or its channel; the kind of a send or
    /// a trigger.
    pub name: String,
    pub status: TraceNodeStatus,
    /// Epoch milliseconds.
    pub started_at_ms: i64,
    /// Null for a moment, and for what is not over.
    #[schema(required = true)]
    pub duration_ms: Option<i64>,
    #[schema(required = true)]
    pub error: Option<String>,
    /// Whether it is a replay, or an attempt of one. Replays are below their original.
    pub replay: bool,
    /// Whether children are missing.
    pub truncated: bool,
    /// The source or workflow that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, example = "dc_K0uAee")]
    pub emitter_id: Option<EmitterId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, example = "1606370816223-0")]
    pub event_id: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub run_id: Option<InvocationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, example = "wh_abc123")]
    pub webhook_id: Option<WebhookId>,
    /// The path of its resource in this API. Absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        example = "/v1/sources/dc_K0uAee/events/1606370816223-0"
    )]
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceNodeKind {
    /// The cause of the first invocation. Its name is `http`, `timer`, `manual`, `hook`, `action`, `event` or `unknown`.
    Trigger,
    /// An invocation of a source.
    SourceRun,
    WorkflowRun,
    ActionRun,
    Step,
    /// A request, mail or S3 object of a step.
    Send,
    Event,
    /// The delivery of an event to a webhook.
    Delivery,
    /// An attempt of a delivery.
    Attempt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceNodeStatus {
    /// It waits for its turn, a time, a reply or another attempt.
    Waiting,
    Running,
    Succeeded,
    Failed,
    Cancelled,
    /// No record of it is kept.
    Unknown,
}

/// Which trace to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TraceQuery {
    /// The source or workflow that the id belongs to. Ids of events are unique for one emitter only.
    pub emitter_id: Option<String>,
    /// The maximum number of nodes. More than 1000 counts as 1000.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 300)]
    pub limit: Option<String>,
}
