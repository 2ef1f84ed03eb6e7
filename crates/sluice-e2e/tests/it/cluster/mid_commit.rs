//! A COMMIT that is late: its node is frozen in the middle of a transaction, or the network holds the message back.

use std::time::Duration;

use sluice_testkit::Hold;
use tokio::time::{Instant, sleep};

use super::{
    fault::{Fault, takeovers},
    load::{Finished, Load},
    scale::by_scale,
    stage::Stage,
};

/// The message of the protocol ends like this.
const COMMIT: &[u8] = b"COMMIT\0";
/// A transaction that no answer arrives for is found within this time.
const FOUND_WITHIN: Duration = Duration::from_millis(600);
const PAUSE: Duration = Duration::from_millis(50);

fn count() -> usize {
    by_scale(1, 20)
}

/// Other nodes cannot take the row over before the database has ended the transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_of_a_node_that_was_frozen_before_it_arrives_at_nothing() {
    let mut stage = Stage::start().await;
    let load = Load::start(&stage).await;
    let mut incidents = Vec::new();
    for turn in 0..count() {
        let node = stage.victim(turn).await;
        let held = hold_commit(&stage, node).await;
        incidents.push(stage.suffer(Fault::Stop, node).await);
        drop(held);
    }
    let Finished {
        sources,
        mut report,
    } = load
        .finish(&stage, "SIGSTOP before COMMIT", incidents.len())
        .await;
    report.takeovers = takeovers(&stage.ledger, &sources, &incidents);
    report.conclude();
}

/// The node lives, so it commits again over another connection, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_the_network_holds_back_counts_once() {
    let stage = Stage::start().await;
    let load = Load::start(&stage).await;
    for turn in 0..count() {
        let node = stage.victim(turn).await;
        let held = hold_commit(&stage, node).await;
        let sources: Vec<_> = load.sources.iter().map(|one| one.id.clone()).collect();
        let before = stage.commit_numbers(&sources).await;
        stage.goes_on(&before).await;
        drop(held);
        stage.goes_on(&stage.commit_numbers(&sources).await).await;
    }
    let Finished { report, .. } = load.finish(&stage, "COMMIT held back", count()).await;
    report.conclude();
}

/// Holds back a COMMIT of an owner on this node. Its transaction has changed the row of its source.
async fn hold_commit(stage: &Stage, node: usize) -> Hold {
    loop {
        let hold = stage.node(node).to_database().hold(COMMIT);
        hold.caught().await;
        if is_of_owner(stage, node).await {
            return hold;
        }
    }
}

async fn is_of_owner(stage: &Stage, node: usize) -> bool {
    let name = stage.node(node).name();
    let deadline = Instant::now() + FOUND_WITHIN;
    while Instant::now() < deadline {
        if stage.observer.waits_for_commit(name).await {
            return true;
        }
        sleep(PAUSE).await;
    }
    false
}
