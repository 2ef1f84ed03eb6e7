//! Which idle process is stopped for another one, and which is kept for its next tick.

use std::time::Duration;

use serde_json::json;
use sluice_infra::testing::NOW;
use sluice_model::TimerSpec;
use sluice_runtime::scripted::{ScriptedOutcome, ScriptedProcesses};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, PATIENCE};

/// An owner whose commit is stored is idle within this time.
const IDLE: Duration = Duration::from_millis(200);

fn every(seconds: u32) -> (TimerSpec, i64) {
    let due = NOW + i64::from(seconds) * 1_000;
    (TimerSpec::Interval { seconds }, due)
}

fn processes() -> ScriptedProcesses {
    ScriptedProcesses::new(|_| ScriptedOutcome::success()).with_starting_at_once(1)
}

/// Runs a source and waits until it is idle again. Returns the number of its process.
async fn run(fixture: &Fixture, name: &str, so_far: usize) -> usize {
    fixture.run_source(name, &json!({})).await;
    let sources = fixture.invoked(so_far + 1).await;
    assert_eq!(sources[so_far], name);
    tokio::time::sleep(IDLE).await;
    fixture.processes.invocations()[so_far].process
}

#[tokio::test]
async fn the_source_that_is_due_last_gives_up_its_process() {
    let sources = vec![
        ("soon", Some(every(60))),
        ("later", Some(every(3_600))),
        ("never", None),
    ];
    let limit = |settings: &mut sluice_infra::Settings| {
        settings.max_processes = 2;
        settings.max_processes_per_account = 2;
    };
    let fixture = Fixture::with_sources(sources, limit, processes()).await;
    let mut used = Vec::new();
    for name in ["soon", "later", "never", "soon", "later", "soon", "never"] {
        used.push(run(&fixture, name, used.len()).await);
    }
    // "later" gives way to "never", which gives way to "later", and so on; "soon" keeps its process.
    assert_eq!(used, [0, 1, 2, 0, 3, 0, 4]);
}

#[tokio::test]
async fn a_process_whose_source_is_due_soon_outlives_its_idle_timeout() {
    let sources = vec![
        ("minutely", Some(every(60))),
        ("hourly", Some(every(3_600))),
        ("never", None),
    ];
    let impatient = |settings: &mut sluice_infra::Settings| {
        settings.idle_timeout = Duration::from_millis(20);
    };
    let fixture = Fixture::with_sources(sources, impatient, processes()).await;
    for (so_far, name) in ["minutely", "hourly", "never"].into_iter().enumerate() {
        run(&fixture, name, so_far).await;
    }
    let alive = || fixture.infra.metrics.processes.get();
    wait_for(PATIENCE, "the others to stop", async || {
        (alive() <= 1).then_some(())
    })
    .await;
    tokio::time::sleep(IDLE).await;
    assert_eq!(alive(), 1);
    fixture.set_clock(NOW + 60_000);
    fixture.invoked(4).await;
    assert_eq!(fixture.processes.invocations()[3].process, 0);
    assert_eq!(fixture.processes.starts(), 3);
}

#[tokio::test]
async fn a_rush_of_sources_runs_within_few_permits() {
    const NAMES: [&str; 12] = [
        "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3",
    ];
    let sources = NAMES.map(|name| (name, Some(every(60)))).to_vec();
    let limit = |settings: &mut sluice_infra::Settings| {
        settings.max_processes = 2;
        settings.max_processes_per_account = 2;
    };
    let slow =
        ScriptedProcesses::new(|_| ScriptedOutcome::success().after(Duration::from_millis(20)));
    let fixture = Fixture::with_sources(sources, limit, slow.with_starting_at_once(1)).await;
    fixture.set_clock(NOW + 60_000);
    let mut ran = fixture.invoked(NAMES.len()).await;
    ran.sort();
    assert_eq!(ran, NAMES);
    assert_eq!(fixture.processes.starts(), NAMES.len());
}
