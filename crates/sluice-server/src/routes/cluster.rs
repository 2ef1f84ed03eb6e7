//! The servers that share the database, for the operator.

use axum::{extract::State, response::Response};
use sluice_api::{ClusterNode, Data, FieldQuery, NodeState};
use sluice_infra::Infra;
use sluice_store::nodes::{self, Node};

use crate::{
    auth::Operator, error::ApiError, fields::FieldSelection, openapi::ApiErrors, query::Query,
    reply,
};

/// The servers that share the database
///
/// As of the last heartbeat, by their start. Servers that ended are listed for ten minutes. For the operator only. For other users
/// this path does not exist.
#[utoipa::path(get, path = "/cluster", tag = "server", operation_id = "getCluster", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, body = Data<Vec<ClusterNode>>), ApiErrors))]
pub(crate) async fn list(
    _: Operator,
    State(infra): State<Infra>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let cluster = &infra.cluster;
    let nodes: Vec<ClusterNode> = cluster
        .members()
        .iter()
        .map(|node| on_the_wire(node, cluster.incarnation()))
        .collect();
    Ok(reply::all(&nodes, &FieldSelection::new(&fields)))
}

fn on_the_wire(node: &Node, current: &str) -> ClusterNode {
    ClusterNode {
        name: node.name.clone(),
        incarnation: node.incarnation.clone(),
        state: match node.state {
            nodes::NodeState::Stopped => NodeState::Stopped,
            _ if !node.is_alive() => NodeState::Lost,
            nodes::NodeState::Active => NodeState::Active,
            nodes::NodeState::Draining => NodeState::Draining,
        },
        current: node.incarnation == current,
        version: node.version.clone(),
        public_url: node.public_url.clone(),
        started_at: node.started_at,
    }
}
