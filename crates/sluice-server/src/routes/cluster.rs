//! The servers that share the database, for the operator.

use axum::{extract::State, response::Response};
use sluice_api::{ClusterNode, Data, FieldQuery, NodeState};
use sluice_cluster::{Cluster, NodeStatus};
use sluice_infra::Infra;
use sluice_store::nodes::Node;

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
    responses((status = 200, description = "The servers", body = Data<Vec<ClusterNode>>), ApiErrors))]
pub(crate) async fn list(
    _: Operator,
    State(infra): State<Infra>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let cluster = &infra.cluster;
    let nodes: Vec<ClusterNode> = cluster
        .members()
        .iter()
        .map(|node| on_the_wire(node, cluster))
        .collect();
    Ok(reply::all(&nodes, &FieldSelection::new(&fields)))
}

fn on_the_wire(node: &Node, cluster: &Cluster) -> ClusterNode {
    let status = cluster.status_of(node);
    let lease_left_ms = match status {
        NodeStatus::Active | NodeStatus::Draining => node.lease_left_ms,
        NodeStatus::Stopped | NodeStatus::Lost => 0,
    };
    ClusterNode {
        name: node.name.clone(),
        incarnation: node.incarnation.clone(),
        state: match status {
            NodeStatus::Active => NodeState::Active,
            NodeStatus::Draining => NodeState::Draining,
            NodeStatus::Stopped => NodeState::Stopped,
            NodeStatus::Lost => NodeState::Lost,
        },
        current: cluster.is_this(node),
        version: node.version.clone(),
        address: node.address.clone(),
        public_url: node.public_url.clone(),
        started_at: node.started_at,
        lease_left_ms: (!cluster.owns_database()).then_some(lease_left_ms),
    }
}
