//! Late and skipped ticks: metrics, and what is stored of them.

use std::time::Duration;

use serde_json::json;
use sluice_infra::{MS_PER_HOUR, testing::NOW};
use sluice_model::{EmitterId, TimerSpec};
use sluice_runtime::scripted::{ScriptedOutcome, ScriptedProcesses};
use sluice_store::{
    activity,
    timers::{self, LastTick, TimersStatus},
};
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, PATIENCE, source_id};

const MINUTELY: TimerSpec = TimerSpec::Interval { seconds: 60 };

/// Starts an engine whose timer is due at `due`.
async fn due_at(due: i64, run_time: Duration) -> Fixture {
    let processes = ScriptedProcesses::new(move |_| {
        let outcome = ScriptedOutcome::success().emit(&json!("tick"));
        outcome.after(run_time)
    });
    Fixture::with_sources(vec![("a", Some((MINUTELY, due)))], |_| {}, processes).await
}

/// The timer after the commit of its tick.
async fn rearmed(fixture: &Fixture) -> TimersStatus {
    wait_for(PATIENCE, "the timer to be armed again", async || {
        let id = EmitterId::from(source_id());
        let read = fixture.infra.store.read(move |c| {
            let status = timers::status_of_emitters(c, std::slice::from_ref(&id))?;
            Ok(status.get(&id).copied())
        });
        let status = read.await.unwrap();
        status.filter(|status| status.last_tick.is_some())
    })
    .await
}

/// Late and skipped ticks of the source since the start.
async fn missed(fixture: &Fixture) -> (u64, u64) {
    let read = fixture.infra.store.read(|c| {
        let hours = activity::of_emitter(c, &source_id().into(), NOW / MS_PER_HOUR - 1)?;
        let counts = hours.iter().map(|hour| hour.counts);
        Ok(counts.fold((0, 0), |(late, skipped), counts| {
            (late + counts.late_ticks, skipped + counts.skipped_ticks)
        }))
    });
    read.await.unwrap()
}

fn has_metric(fixture: &Fixture, line: &str) -> bool {
    fixture
        .infra
        .metrics
        .plain_text()
        .lines()
        .any(|one| one == line)
}

async fn expect_metric(fixture: &Fixture, line: &str) {
    wait_for(PATIENCE, line, async || {
        has_metric(fixture, line).then_some(())
    })
    .await;
}

fn tick(due_at: i64, lateness_ms: i64) -> LastTick {
    LastTick {
        due_at,
        lateness_ms,
    }
}

#[tokio::test]
async fn a_tick_that_is_dispatched_late_is_recorded() {
    let due = NOW + 1_000;
    let fixture = due_at(due, Duration::ZERO).await;
    fixture.set_clock(due + 7_000);
    let status = rearmed(&fixture).await;
    assert_eq!(status.last_tick, Some(tick(due, 7_000)));
    assert_eq!(status.next_due, Some(due + 60_000));
    assert_eq!(missed(&fixture).await, (1, 0));
    expect_metric(&fixture, "sluice_tick_lateness_seconds_sum 7.0").await;
    expect_metric(
        &fixture,
        "sluice_tick_lateness_seconds_bucket{le=\"5.0\"} 0",
    )
    .await;
}

#[tokio::test]
async fn a_punctual_tick_is_not_late() {
    let due = NOW + 1_000;
    let fixture = due_at(due, Duration::ZERO).await;
    fixture.set_clock(due + 4);
    assert_eq!(rearmed(&fixture).await.last_tick, Some(tick(due, 4)));
    assert_eq!(missed(&fixture).await, (0, 0));
    expect_metric(&fixture, "sluice_tick_lateness_seconds_count 1").await;
    assert!(has_metric(
        &fixture,
        "sluice_ticks_skipped_total{reason=\"running\"} 0"
    ));
}

#[tokio::test]
async fn ticks_during_a_run_are_skipped_and_counted() {
    let fixture = due_at(NOW, Duration::from_millis(500)).await;
    fixture.invoked(1).await;
    fixture.clock.set(NOW + 150_000);
    let status = rearmed(&fixture).await;
    assert_eq!(status.last_tick, Some(tick(NOW, 0)));
    assert_eq!(status.next_due, Some(NOW + 180_000));
    assert_eq!(missed(&fixture).await, (0, 2));
    expect_metric(&fixture, "sluice_ticks_skipped_total{reason=\"running\"} 2").await;
}

#[tokio::test]
async fn ticks_while_the_server_was_down_count_as_one_and_the_others_as_skipped() {
    let fixture = due_at(NOW - 150_000, Duration::ZERO).await;
    fixture.events(1).await;
    let status = rearmed(&fixture).await;
    assert_eq!(status.last_tick, Some(tick(NOW - 150_000, 150_000)));
    assert_eq!(status.next_due, Some(NOW + 30_000));
    assert_eq!(missed(&fixture).await, (1, 2));
    expect_metric(&fixture, "sluice_ticks_skipped_total{reason=\"down\"} 2").await;
    assert_eq!(fixture.committed_events().await.len(), 1);
}
