//! Part of section r: how much longer a client waits for a `customResponse` at a node that does not own the source.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    deployment::{deploy, save_component},
    histogram::Histogram,
    load::{Connection, post_json},
    node_group::NodeGroup,
    report::Measurement,
    settings::Settings,
    throughput::BODY,
};

const WARM_UP: usize = 50;
/// At the median, in milliseconds.
const MOST_OVERHEAD: f64 = 5.0;

/// Requests go one by one, in turn to the owner and to another node.
pub(crate) async fn measure(
    settings: &Settings,
    nodes: &NodeGroup,
) -> anyhow::Result<Vec<Measurement>> {
    let api = nodes.api();
    let component = save_component(&api, "respond_source.mjs").await?;
    let sources = deploy(&api, &component, &json!({}), 1).await?;
    let source = sources.first().context("one source was deployed")?;
    let (addr, path) = nodes.endpoint(source, 0)?;
    Client::open(addr, &path).await?.respond().await?;

    let owner = nodes.owner(source).await?;
    let (addr, path) = nodes.endpoint(source, owner)?;
    let mut of_owner = Client::open(addr, &path).await?;
    let (addr, path) = nodes.endpoint(source, (owner + 1) % nodes.len())?;
    let mut of_other = Client::open(addr, &path).await?;
    let (mut at_owner, mut at_other) = (Histogram::default(), Histogram::default());
    for number in 0..WARM_UP + settings.single_events {
        let (owner_took, other_took) = (of_owner.respond().await?, of_other.respond().await?);
        if number >= WARM_UP {
            at_owner.record(owner_took);
            at_other.record(other_took);
        }
    }
    let p50 = |times: &Histogram| times.quantile(500).as_secs_f64() * 1e3;
    let row = |name: &str, millis: f64| Measurement::new('r', name, millis, "ms");
    Ok(vec![
        row("customResponse of the owner, p50", p50(&at_owner)),
        row("customResponse of another node, p50", p50(&at_other)),
        row("overhead of another node", p50(&at_other) - p50(&at_owner)).at_most(MOST_OVERHEAD),
    ])
}

struct Client {
    connection: Connection,
    request: Vec<u8>,
}

impl Client {
    async fn open(addr: String, path: &str) -> anyhow::Result<Client> {
        Ok(Client {
            connection: Connection::open(&addr).await?,
            request: post_json(&addr, path, BODY),
        })
    }

    async fn respond(&mut self) -> anyhow::Result<Duration> {
        let sent = Instant::now();
        let status = self.connection.exchange(&self.request).await?;
        ensure!(status == 200, "the endpoint responded {status}");
        Ok(sent.elapsed())
    }
}
