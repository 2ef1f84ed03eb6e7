//! Nodes on one PostgreSQL database of their own.

use std::time::Duration;

use anyhow::Context;
use sluice_testkit::{Api, Postgres, Server, unique_hex};

use crate::{
    database_view::DatabaseView,
    deployment::{Source, counter},
    process_tree::cpu_time,
    settings::Settings,
    throughput::split_url,
};

/// Nothing listens there: requests go to the address of each node.
const PUBLIC_URL: &str = "http://127.0.0.1:1";

pub(crate) struct NodeGroup {
    nodes: Vec<Server>,
    pub(crate) database: DatabaseView,
}

impl NodeGroup {
    pub(crate) async fn start(settings: &Settings, count: usize) -> anyhow::Result<NodeGroup> {
        let url = Postgres::database();
        let options = settings
            .server_options()?
            .postgres(&url)
            .api_key(&unique_hex())
            .env("SLUICE_MASTER_KEY", unique_hex() + &unique_hex())
            .args(["--public-url", PUBLIC_URL]);
        let mut nodes = Vec::with_capacity(count);
        for number in 0..count {
            let name = node_name(number);
            let options = options.clone().args(["--node-name", &name]);
            nodes.push(Server::start(options).await);
        }
        let database = DatabaseView::open(&url).await?;
        Ok(NodeGroup { nodes, database })
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A client of the first node.
    pub(crate) fn api(&self) -> Api {
        self.nodes[0].api()
    }

    /// The address and the path of a source's endpoint on a node.
    pub(crate) fn endpoint(
        &self,
        source: &Source,
        node: usize,
    ) -> anyhow::Result<(String, String)> {
        let (_, path) = split_url(source.endpoint()?)?;
        Ok((self.nodes[node].addr().to_owned(), path))
    }

    /// The node that owns a source.
    pub(crate) async fn owner(&self, source: &Source) -> anyhow::Result<usize> {
        let owner = self.database.owner(&source.id).await?;
        (0..self.len())
            .find(|number| node_name(*number) == owner)
            .with_context(|| format!("no node has the name {owner}"))
    }

    /// A counter, summed over the nodes.
    pub(crate) async fn counter(&self, name: &str) -> u64 {
        let mut sum = 0;
        for node in &self.nodes {
            sum += counter(&node.api(), name).await;
        }
        sum
    }

    /// The CPU time of the nodes and their component processes.
    pub(crate) fn cpu_time(&self) -> anyhow::Result<Duration> {
        self.nodes.iter().map(|node| cpu_time(node.pid())).sum()
    }
}

fn node_name(number: usize) -> String {
    format!("n{}", number + 1)
}
