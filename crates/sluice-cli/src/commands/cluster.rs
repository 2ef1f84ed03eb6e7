//! `sluice cluster`

use anyhow::anyhow;
use clap::Args;
use sluice_api::{ClusterNode, NodeState};

use super::{
    common::Common,
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
    let nodes: Vec<ClusterNode> = client.get("/cluster").await.map_err(|error| {
        if error.is_not_found() {
            anyhow!("only the operator can list servers, and this API key is not the operator's")
        } else {
            error.into()
        }
    })?;
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
