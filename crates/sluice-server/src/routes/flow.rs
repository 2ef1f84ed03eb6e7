//! The map of an account.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, FieldQuery, Flow, FlowEdge, FlowNode, FlowNodeKind, FlowQuery};
use sluice_app::{App, FlowKind};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::parse_limit_of,
    query::Query,
    reply,
    routes::{text_parameters::search_text, webhook_health},
};

const DEFAULT_NODES: u32 = 300;
const MAX_NODES: u32 = 1000;

/// The map of the account: emitters and their listeners
///
/// Connected nodes come first, then those with most events. `hidden` counts the others.
#[utoipa::path(get, path = "/users/me/flow", tag = "users", operation_id = "getFlow", params(FlowQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The map", body = Data<Flow>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(FlowQuery { q, limit }): Query<FlowQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let max_nodes = parse_limit_of("limit", limit.as_deref(), DEFAULT_NODES, MAX_NODES)?;
    let query = sluice_app::FlowQuery {
        text: search_text(q)?,
        most_nodes: max_nodes as usize,
    };
    let flow = on_the_wire(app.flow.draw(&user.id, query).await?);
    Ok(reply::one(flow, &FieldSelection::new(&fields)))
}

fn on_the_wire(flow: sluice_app::Flow) -> Flow {
    let nodes = flow.nodes.into_iter().map(|node| FlowNode {
        id: node.party.id,
        kind: match node.kind {
            FlowKind::Source => FlowNodeKind::Source,
            FlowKind::Workflow => FlowNodeKind::Workflow,
            FlowKind::Webhook => FlowNodeKind::Webhook,
            FlowKind::Every => FlowNodeKind::Every,
        },
        name: node.party.name,
        name_slug: node.party.name_slug,
        active: node.party.active,
        app: node.app,
        events: node.events,
        errors: node.errors,
        waiting: node.waiting,
        health: node.health.map(webhook_health::on_the_wire),
    });
    let edges = flow.edges.into_iter().map(|edge| FlowEdge {
        subscription_id: edge.subscription_id,
        from: edge.from,
        to: edge.to,
        event_name: edge.event_name,
    });
    Flow {
        nodes: nodes.collect(),
        edges: edges.collect(),
        hidden: flow.hidden as u64,
    }
}
