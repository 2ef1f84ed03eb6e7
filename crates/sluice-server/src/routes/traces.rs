//! Traces.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, FieldQuery, Trace, TraceNode, TraceNodeKind, TraceNodeStatus, TraceQuery};
use sluice_app::{App, TraceKind, TraceStatus};
use sluice_model::{EmitterId, EmitterKind};

use crate::{
    auth::AuthUser, error::ApiError, fields::FieldSelection, openapi::ApiErrors,
    page::parse_limit_of, path::TracePath, query::Query, reply,
};

const DEFAULT_NODES: u32 = 300;
const MAX_NODES: u32 = 1000;

/// The trace that has an id: the tree from its first cause to all effects
///
/// The id of a request, an event, a delivery, a run, an invocation, a send, or a trace of OpenTelemetry.
#[utoipa::path(get, path = "/traces/{id}", tag = "traces", operation_id = "getTrace",
    params(("id" = String, Path), TraceQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The trace", body = Data<Trace>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    TracePath(id): TracePath,
    Query(TraceQuery { emitter_id, limit }): Query<TraceQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let parse = |id: String| EmitterId::parse(&id).ok_or(ApiError::NotFound("id"));
    let query = sluice_app::TraceQuery {
        id,
        emitter: emitter_id.map(parse).transpose()?,
        most_nodes: parse_limit_of("limit", limit.as_deref(), DEFAULT_NODES, MAX_NODES)? as usize,
    };
    let trace = app.traces.read(&user.id, query).await?;
    let trace = Trace {
        nodes: trace.nodes.into_iter().map(on_the_wire).collect(),
        selected: trace.selected,
        truncated: trace.is_cut,
    };
    Ok(reply::one(trace, &FieldSelection::new(&fields)))
}

fn on_the_wire(node: sluice_app::TraceNode) -> TraceNode {
    TraceNode {
        url: url(&node),
        kind: kind(node.kind),
        status: status(node.status),
        key: node.key,
        parent: node.parent,
        depth: node.depth,
        id: node.id,
        name: node.name,
        started_at_ms: node.started_at,
        duration_ms: node.duration_ms,
        error: node.error,
        replay: node.is_replay,
        truncated: node.is_cut,
        emitter_id: node.emitter_id,
        event_id: node.event_id,
        run_id: node.run_id,
        webhook_id: node.webhook_id,
    }
}

/// The path of a node's resource. Invocations of sources have none.
fn url(node: &sluice_app::TraceNode) -> Option<String> {
    let emitter = node.emitter_id.as_ref();
    match node.kind {
        TraceKind::Trigger | TraceKind::SourceRun => None,
        TraceKind::ActionRun => Some(format!("/v1/actions/runs/{}", node.id)),
        TraceKind::WorkflowRun | TraceKind::Step | TraceKind::Send => {
            Some(format!("/v1/workflows/{}/runs/{}", emitter?, node.run_id?))
        }
        TraceKind::Event => {
            let emitters = match emitter?.kind() {
                EmitterKind::Source(_) => "sources",
                EmitterKind::Workflow(_) => "workflows",
            };
            Some(format!("/v1/{emitters}/{}/events/{}", emitter?, node.id))
        }
        TraceKind::Delivery | TraceKind::Attempt => Some(format!("/v1/deliveries/{}", node.id)),
    }
}

fn kind(kind: TraceKind) -> TraceNodeKind {
    match kind {
        TraceKind::Trigger => TraceNodeKind::Trigger,
        TraceKind::SourceRun => TraceNodeKind::SourceRun,
        TraceKind::WorkflowRun => TraceNodeKind::WorkflowRun,
        TraceKind::ActionRun => TraceNodeKind::ActionRun,
        TraceKind::Step => TraceNodeKind::Step,
        TraceKind::Send => TraceNodeKind::Send,
        TraceKind::Event => TraceNodeKind::Event,
        TraceKind::Delivery => TraceNodeKind::Delivery,
        TraceKind::Attempt => TraceNodeKind::Attempt,
    }
}

fn status(status: TraceStatus) -> TraceNodeStatus {
    match status {
        TraceStatus::Waiting => TraceNodeStatus::Waiting,
        TraceStatus::Running => TraceNodeStatus::Running,
        TraceStatus::Succeeded => TraceNodeStatus::Succeeded,
        TraceStatus::Failed => TraceNodeStatus::Failed,
        TraceStatus::Cancelled => TraceNodeStatus::Cancelled,
        TraceStatus::Unknown => TraceNodeStatus::Unknown,
    }
}
