//! Nodes are killed, frozen and cut off at random moments under load: nothing is lost, doubled or reordered.

use std::time::Duration;

use rand::RngExt;
use sluice_testkit::TestRng;
use tokio::time::sleep;

use super::{
    fault::{Fault, takeovers},
    load::{Finished, Load},
    scale::by_scale,
    stage::{NODES, Stage},
};

fn count() -> usize {
    by_scale(3, 200)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_killed_loses_its_sources_to_others_and_nothing_else() {
    survive(Fault::Kill, "SIGKILL").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_frozen_commits_nothing_when_it_goes_on() {
    survive(Fault::Stop, "SIGSTOP").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_cut_off_commits_nothing_that_arrives_late() {
    survive(Fault::Partition, "partition").await;
}

async fn survive(fault: Fault, name: &'static str) {
    let mut stage = Stage::start().await;
    let load = Load::start(&stage).await;
    let mut incidents = Vec::new();
    for turn in 0..count() {
        sleep(random_moment()).await;
        let node = stage.victim(turn).await;
        incidents.push(stage.suffer(fault, node).await);
    }
    let fewest = (0..NODES).map(|node| incidents.iter().filter(|i| i.node == node).count());
    assert!(fewest.min() >= Some(count() / 10), "faults of few nodes");
    let Finished {
        sources,
        mut report,
    } = load.finish(&stage, name, incidents.len()).await;
    report.takeovers = takeovers(&stage.ledger, &sources, &incidents);
    report.conclude();
}

/// Long enough for several commits.
fn random_moment() -> Duration {
    Duration::from_millis(TestRng.random_range(500..1_500))
}
