//! Nodes are restarted one after another behind a load balancer, and no request fails.

use sluice_testkit::{Balancer, wait_for};

use super::{
    clients::COUNTER,
    commit_log,
    history::{self, History},
    report::Report,
    scale::by_scale,
    stage::{NODES, Stage, endpoint_path},
    steady::Steady,
};
use crate::support::PATIENCE;

const SOURCES: usize = 6;

fn per_second() -> u32 {
    by_scale(50, 500)
}

fn rounds() -> usize {
    by_scale(1, 3)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_fails_no_request() {
    let mut stage = Stage::start_with(&["--drain-grace=2s"]).await;
    let balancer = Balancer::start().expect("a free port");
    for node in stage.cluster.nodes() {
        balancer.add(node.addr());
    }
    all_healthy(&balancer).await;
    let sources = stage.deploy(SOURCES, COUNTER).await;
    let endpoints = sources
        .iter()
        .map(|source| format!("{}{}", balancer.url(), endpoint_path(source)));
    let load = Steady::start(endpoints.collect(), per_second());
    for _ in 0..rounds() {
        for node in 0..NODES {
            let ended = stage.node_mut(node).terminate().await;
            assert!(ended.success(), "{}", stage.node(node).logs());
            stage.node_mut(node).restart().await;
            all_healthy(&balancer).await;
        }
    }
    let outcomes = load.finish().await;
    stage.settled(&sources).await;

    let errors: Vec<_> = outcomes
        .iter()
        .filter_map(|one| one.error.as_ref())
        .collect();
    for error in &errors {
        eprintln!("{error}");
    }
    let mut history = History::default();
    for (place, source) in sources.iter().enumerate() {
        let of_source = outcomes.iter().filter(|one| one.endpoint == place);
        let sent: Vec<_> = of_source.map(|one| one.sent.clone()).collect();
        history.add(&history::check(&stage.ledger, source, &sent));
    }
    let violations = commit_log::check(&stage.observer).await;
    let count = NODES * rounds();
    let mut report = Report::new("rolling restart", count, history, violations);
    report.failed = Some(errors.len());
    report.conclude();
}

async fn all_healthy(balancer: &Balancer) {
    wait_for(PATIENCE, "all nodes to be healthy", async || {
        (balancer.healthy() == NODES).then_some(())
    })
    .await;
}
