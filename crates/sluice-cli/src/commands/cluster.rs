//! `sluice cluster`

use clap::Args;
use sluice_api::{ClusterNode, NodeState};

use super::{
    common::Common,
    operator_only::operator_only,
    output::{local_time, sanitized, show_list},
};

/// List the servers that share the database (operator only)
#[derive(Debug, Args)]
pub(crate) struct ClusterOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn cluster(options: ClusterOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let listed = client.get("/cluster").await;
    let nodes: Vec<ClusterNode> = listed.map_err(operator_only("list servers"))?;
    let header = ["NAME", "STATE", "VERSION", "STARTED", "INCARNATION"];
    show_list(&nodes, options.common.json, &header, "No servers", |node| {
        let name = sanitized(&node.name);
        vec![
            if node.current {
                format!("{name} (connected)")
            } else {
                name
            },
            state(node.state).to_owned(),
            sanitized(&node.version),
            local_time(node.started_at),
            node.incarnation.clone(),
        ]
    })
}

fn state(state: NodeState) -> &'static str {
    match state {
        NodeState::Active => "active",
        NodeState::Draining => "draining",
        NodeState::Stopped => "stopped",
        NodeState::Lost => "lost",
    }
}
