//! The database of a cluster goes away under load, and comes back or has a successor.

use std::time::Duration;

use tokio::time::sleep;

use super::{
    fault::{Incident, takeovers},
    load::{Finished, Load},
    scale::by_scale,
    stage::Stage,
};

/// Some load before and after.
const LOAD: Duration = Duration::from_secs(2);

/// Longer than a lease in the long form.
fn down() -> Duration {
    by_scale(Duration::from_secs(1), Duration::from_secs(5))
}

fn restarts() -> usize {
    by_scale(1, 10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_that_is_killed_and_restarted_has_lost_nothing() {
    let stage = Stage::start().await;
    let load = Load::start(&stage).await;
    let mut incidents = Vec::new();
    for _ in 0..restarts() {
        sleep(LOAD).await;
        let database = stage.cluster.database();
        database.stop().await;
        sleep(down()).await;
        database.start_again().await;
        incidents.push(restored(&stage, &load).await);
    }
    conclude(stage, load, "PostgreSQL killed", &incidents).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_synchronous_standby_that_is_promoted_has_everything() {
    let mut stage = Stage::start().await;
    let standby = stage.cluster.database().synchronous_standby().await;
    let load = Load::start(&stage).await;
    sleep(LOAD).await;
    stage.cluster.database().stop().await;
    standby.promote();
    stage.move_to(standby);
    let incident = restored(&stage, &load).await;
    conclude(stage, load, "standby promoted", &[incident]).await;
}

/// Waits until all sources commit again.
async fn restored(stage: &Stage, load: &Load) -> Incident {
    let incident = Incident::database_is_back(&load.sources);
    let ids: Vec<_> = load
        .sources
        .iter()
        .map(|source| source.id.clone())
        .collect();
    let before = stage.commit_numbers(&ids).await;
    stage.goes_on(&before).await;
    stage.in_service().await;
    incident
}

async fn conclude(stage: Stage, load: Load, fault: &'static str, incidents: &[Incident]) {
    sleep(LOAD).await;
    let Finished {
        sources,
        mut report,
    } = load.finish(&stage, fault, incidents.len()).await;
    report.takeovers = takeovers(&stage.ledger, &sources, incidents);
    report.max_takeover = Duration::from_secs(10);
    report.conclude();
}
