//! The nodes of a trace.

use sluice_model::{EmitterId, EventId, InvocationId, WebhookId};
use sluice_store::{deliveries::DeliveryState, runs::RunState, sends::SendState};

/// A tree, or several for a trace of OpenTelemetry with several requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Parents before children, siblings by their start.
    pub nodes: Vec<TraceNode>,
    /// The key of the node with the id that was asked for; none for a trace of OpenTelemetry.
    pub selected: Option<String>,
    /// Whether there may be more nodes than these.
    pub is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceNode {
    /// Unique in the trace.
    pub key: String,
    /// The key of the parent.
    pub parent: Option<String>,
    /// 0 for a root.
    pub depth: u32,
    pub kind: TraceKind,
    pub id: String,
    pub name: String,
    pub status: TraceStatus,
    pub started_at: i64,
    /// None for a moment, and while it lasts.
    pub duration_ms: Option<i64>,
    pub error: Option<String>,
    /// Whether it is a replay of its parent, or belongs to a replay of it.
    pub is_replay: bool,
    /// Whether effects are missing below it.
    pub is_cut: bool,
    pub emitter_id: Option<EmitterId>,
    pub event_id: Option<EventId>,
    pub run_id: Option<InvocationId>,
    pub webhook_id: Option<WebhookId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceKind {
    /// The cause of the first invocation: a request, a tick, or a manual run.
    Trigger,
    SourceRun,
    WorkflowRun,
    ActionRun,
    Step,
    Send,
    Event,
    Delivery,
    Attempt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceStatus {
    Waiting,
    Running,
    Succeeded,
    Failed,
    Cancelled,
    /// No record is kept.
    Unknown,
}

impl TraceNode {
    /// A node without parent, effects and references.
    pub(super) fn new(kind: TraceKind, key: String, id: String, name: String) -> TraceNode {
        TraceNode {
            key,
            parent: None,
            depth: 0,
            kind,
            id,
            name,
            status: TraceStatus::Unknown,
            started_at: 0,
            duration_ms: None,
            error: None,
            is_replay: false,
            is_cut: false,
            emitter_id: None,
            event_id: None,
            run_id: None,
            webhook_id: None,
        }
    }
}

impl From<RunState> for TraceStatus {
    fn from(state: RunState) -> TraceStatus {
        match state {
            RunState::Queued | RunState::Waiting => TraceStatus::Waiting,
            RunState::Running => TraceStatus::Running,
            RunState::Succeeded => TraceStatus::Succeeded,
            RunState::Failed => TraceStatus::Failed,
            RunState::Cancelled => TraceStatus::Cancelled,
        }
    }
}

impl From<DeliveryState> for TraceStatus {
    fn from(state: DeliveryState) -> TraceStatus {
        match state {
            DeliveryState::Pending => TraceStatus::Waiting,
            DeliveryState::Delivered => TraceStatus::Succeeded,
            DeliveryState::Failed => TraceStatus::Failed,
        }
    }
}

impl From<SendState> for TraceStatus {
    fn from(state: SendState) -> TraceStatus {
        match state {
            SendState::Held | SendState::Pending => TraceStatus::Waiting,
            SendState::Sent => TraceStatus::Succeeded,
            SendState::Failed => TraceStatus::Failed,
        }
    }
}
