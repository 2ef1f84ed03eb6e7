//! Sources that share a process lose nothing when it is killed under load, or the server.

use std::time::Duration;

use rand::RngExt;
use rstest::rstest;
use sluice_testkit::{Backend, Plan, TestRng, wait_for};
use tokio::sync::watch;

use super::{
    kill::{COUNTER, counts_agree, once_each},
    processes::{children, kill},
    rounds::rounds,
    stage::Stage,
    traffic::{Habit, Phase, Traffic},
};
use crate::support::{Deployed, PATIENCE, deploy, unique_name};

const SOURCES: usize = 4;
const CLIENTS: usize = 2;
const DEFAULT_ROUNDS: u32 = 5;
/// Events of each source between two kills.
const BETWEEN: usize = 25;

#[derive(Debug, Clone, Copy)]
enum Death {
    Process,
    Server,
}

#[rstest]
#[case::process(Backend::Sqlite, "process", "--direct-from=0")]
#[case::component(Backend::Sqlite, "component", "--direct-from=0")]
#[case::component_store_first(Backend::Postgres, "component", "--store-first")]
#[case::account(Backend::Postgres, "account", "--direct-from=0")]
#[case::account_store_first(Backend::Sqlite, "account", "--store-first")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sources_lose_nothing_when_their_process_or_the_server_is_killed(
    #[case] backend: Backend,
    #[case] isolation: &str,
    #[case] order: &str,
    #[values(Death::Process, Death::Server)] death: Death,
) {
    // A kill is not the fault of an invocation, so it must not run out of attempts.
    let args = ["--isolation", isolation, order, "--max-attempts", "1000"];
    let retention = ["--event-retention", "10000000"];
    let mut stage = Stage::start(backend, &[&args[..], &retention].concat()).await;
    let sources = deploy_for_one_user(&stage).await;
    let (phase, watch) = watch::channel(Phase::Up);
    let start = |source| Traffic::start(source, CLIENTS, Habit::SendOnce, &watch);
    let traffic: Vec<Traffic> = sources.iter().map(start).collect();
    for round in 1..=rounds(DEFAULT_ROUNDS) as usize {
        until_each_has(&stage, &sources, round * BETWEEN).await;
        tokio::time::sleep(Duration::from_millis(TestRng.random_range(1..50))).await;
        match death {
            Death::Process => children(stage.pid()).into_iter().for_each(kill),
            Death::Server => {
                phase.send_replace(Phase::Down);
                stage.restart().await;
                phase.send_replace(Phase::Up);
            }
        }
    }
    phase.send_replace(Phase::Over);
    for (source, traffic) in sources.iter().zip(traffic) {
        let sent = traffic.sum().await;
        stage.settled(source).await;
        let events = once_each(&stage.ledger, source, &sent);
        counts_agree(&stage.ledger, source, &events);
    }
}

/// Half of them have other code.
async fn deploy_for_one_user(stage: &Stage) -> Vec<Deployed> {
    let api = stage.server.user(&unique_name(), Plan::Free).await;
    let mut sources = Vec::new();
    for number in 0..SOURCES {
        let code = format!("{COUNTER} // {}", number % 2);
        sources.push(deploy(&api, &code).await);
    }
    sources
}

async fn until_each_has(stage: &Stage, sources: &[Deployed], events: usize) {
    wait_for(PATIENCE, "load", async || {
        let mut counts = sources
            .iter()
            .map(|source| stage.ledger.count("events", &source.id));
        counts.all(|count| count > events).then_some(())
    })
    .await;
}
