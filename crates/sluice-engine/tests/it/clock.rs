//! A clock that is set back costs a timer at most one interval.

use serde_json::json;
use sluice_infra::testing;
use sluice_model::TimerSpec;
use sluice_runtime::scripted::ScriptedOutcome;
use sluice_store::timers;
use sluice_testkit::wait_for;

use crate::fixture::{Fixture, PATIENCE, source_id};

const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn a_timer_whose_clock_was_set_back_is_due_within_its_interval() {
    let interval = TimerSpec::Interval { seconds: 60 };
    let fixture = Fixture::with_timer(Some(interval), |_| {
        ScriptedOutcome::success().emit(&json!("tick"))
    })
    .await;
    fixture.events(1).await;
    let armed = due_at(&fixture).await;
    assert_eq!(armed, testing::NOW + 60_000);

    let set_back = testing::NOW - HOUR_MS;
    fixture.clock.set(set_back);
    // The scheduler notices the jump when it looks for due work.
    fixture.engine.timers.arm(set_back);
    let corrected = wait_for(PATIENCE, "the due time to be corrected", async || {
        let due = due_at(&fixture).await;
        (due < armed).then_some(due)
    })
    .await;
    assert!(corrected <= set_back + 60_000, "{corrected}");
    fixture.clock.set(corrected);
    fixture.engine.timers.arm(corrected);
    fixture.events(2).await;
}

/// Waits until the timer is armed.
async fn due_at(fixture: &Fixture) -> i64 {
    wait_for(PATIENCE, "the timer to be armed", async || {
        let read = fixture
            .infra
            .store
            .read(|c| timers::of_emitter(c, &source_id()));
        read.await.unwrap().first().and_then(|timer| timer.due_at)
    })
    .await
}
