//! Section r: several nodes on one PostgreSQL.
//!
//! The same number of connections sends the same requests to 1, 2 and 3 nodes, in turn to every source through every node. All
//! nodes, the database and this program share the machine, so the CPU time of an event tells more than the rate.

use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::json;
use sluice_testkit::{Backend, wait_for};
use tokio::time::sleep;

use crate::{
    deployment::{Source, deploy, event_count, save_component},
    load::{self, Load, Tally, post_json},
    node_group::NodeGroup,
    report::{Measurement, SectionResult},
    response_overhead,
    settings::Settings,
    throughput::{BODY, DRAIN_DEADLINE, DURABLE_EVENTS, INVOCATIONS, WARM_UP, check},
};

const MOST_NODES: usize = 3;
const SAMPLE_EVERY: Duration = Duration::from_millis(20);

pub(crate) async fn measure(settings: Arc<Settings>) -> SectionResult {
    if settings.backend() == Backend::Sqlite {
        return Ok(Vec::new());
    }
    let mut measurements = Vec::new();
    for count in 1..=MOST_NODES {
        eprintln!("r: nodes: {count}");
        let nodes = NodeGroup::start(&settings, count).await?;
        measurements.extend(throughput(&settings, &nodes).await?.rows(count)?);
        if count == MOST_NODES {
            measurements.extend(response_overhead::measure(&settings, &nodes).await?);
        }
    }
    Ok(measurements)
}

/// What a load cost, up to the commit of its last event.
struct Cost {
    tally: Tally,
    elapsed: Duration,
    nodes: Duration,
    database: Duration,
    /// The mean number of sessions that waited for a lock.
    waiting_sessions: f64,
}

async fn throughput(settings: &Settings, nodes: &NodeGroup) -> anyhow::Result<Cost> {
    let api = nodes.api();
    let component = save_component(&api, "echo_source.mjs").await?;
    let sources = deploy(&api, &component, &json!({}), settings.node_sources).await?;
    let loads = loads(settings, nodes, &sources)?;
    let warm = load::run_all(&lasting(WARM_UP, &loads)).await;
    check(&warm)?;
    committed(nodes, warm.accepted).await;

    let (nodes_before, database_before) = (nodes.cpu_time()?, nodes.database.cpu_time()?);
    let start = Instant::now();
    let (tally, waiting_sessions) = watched(nodes, &loads).await?;
    check(&tally)?;
    committed(nodes, warm.accepted + tally.accepted).await;
    let cost = Cost {
        elapsed: start.elapsed(),
        nodes: nodes.cpu_time()?.saturating_sub(nodes_before),
        database: nodes.database.cpu_time()?.saturating_sub(database_before),
        waiting_sessions,
        tally,
    };
    nothing_is_lost(nodes, &sources, warm.accepted + cost.tally.accepted).await?;
    Ok(cost)
}

/// One load for each connection. Every node gets requests for every source, if there are enough connections.
fn loads(settings: &Settings, nodes: &NodeGroup, sources: &[Source]) -> anyhow::Result<Vec<Load>> {
    let load = |number: usize| {
        let source = &sources[number % sources.len()];
        let node = (number / sources.len()) % nodes.len();
        let (addr, path) = nodes.endpoint(source, node)?;
        Ok(Load {
            request: post_json(&addr, &path, BODY),
            addr,
            connections: 1,
            duration: settings.duration(),
        })
    };
    (0..settings.connections).map(load).collect()
}

fn lasting(duration: Duration, loads: &[Load]) -> Vec<Load> {
    let lasting = |load: &Load| Load {
        duration,
        ..load.clone()
    };
    loads.iter().map(lasting).collect()
}

/// Waits until the nodes have run this many invocations.
async fn committed(nodes: &NodeGroup, at_least: u64) {
    let condition = format!("{at_least} invocations");
    wait_for(DRAIN_DEADLINE, &condition, async || {
        (nodes.counter(INVOCATIONS).await >= at_least).then_some(())
    })
    .await;
}

/// Runs loads, and samples how many sessions wait for a lock meanwhile.
async fn watched(nodes: &NodeGroup, loads: &[Load]) -> anyhow::Result<(Tally, f64)> {
    let mut running = pin!(load::run_all(loads));
    let (mut waiting, mut samples) = (0, 0);
    loop {
        tokio::select! {
            tally = &mut running => {
                let mean = f64::from(waiting) / f64::from(samples.max(1));
                return Ok((tally, mean));
            }
            () = sleep(SAMPLE_EVERY) => {
                waiting += i32::try_from(nodes.database.waiting_sessions().await?)?;
                samples += 1;
            }
        }
    }
}

async fn nothing_is_lost(
    nodes: &NodeGroup,
    sources: &[Source],
    accepted: u64,
) -> anyhow::Result<()> {
    let mut kept = 0;
    for source in sources {
        kept += event_count(&nodes.api(), source).await?;
    }
    ensure!(
        kept == accepted,
        "{accepted} requests were accepted, but {kept} events are there"
    );
    Ok(())
}

impl Cost {
    fn rows(&self, nodes: usize) -> anyhow::Result<Vec<Measurement>> {
        let events = f64::from(u32::try_from(self.tally.accepted)?);
        let row = |name: &str, value: f64, unit| {
            let nodes = if nodes == 1 {
                "1 node"
            } else {
                &format!("{nodes} nodes")
            };
            Measurement::new('r', &format!("{nodes}, {name}"), value, unit)
        };
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / events;
        let p50 = self.tally.latencies.quantile(500).as_secs_f64() * 1e3;
        Ok(vec![
            row(
                DURABLE_EVENTS,
                events / self.elapsed.as_secs_f64(),
                "per second",
            ),
            row("response, p50", p50, "ms"),
            row("CPU per event, nodes", micros(self.nodes), "µs"),
            row("CPU per event, PostgreSQL", micros(self.database), "µs"),
            row("sessions that wait for a lock", self.waiting_sessions, ""),
        ])
    }
}
