//! Timers across takeovers: each due time comes exactly once.

use std::time::Duration;

use sluice_testkit::{now_ms, wait_for};
use tokio::time::sleep;

use super::{
    commit_log::{self, Violations},
    fault::Fault,
    scale::by_scale,
    stage::{NODES, Stage},
};
use crate::{
    ledger::StoredEvent,
    support::{Deployed, PATIENCE},
};

const FAULTS: [Fault; 3] = [Fault::Kill, Fault::Partition, Fault::Stop];
/// Faults begin this long before many timers are due.
const BEFORE_DUE_MS: i64 = 500;

fn timer_count() -> usize {
    by_scale(12, 1_000)
}

fn takeover_count() -> usize {
    by_scale(2, 10)
}

/// Longer than a takeover: due times that pass meanwhile would count as one.
fn period_seconds() -> i64 {
    by_scale(10, 30)
}

fn ticking() -> String {
    format!(
        r#"module.exports = {{
  name: "ticking", version: "0.0.1",
  props: {{ timer: {{ type: "$.interface.timer", default: {{ intervalSeconds: {} }} }} }},
  run(event) {{ this.$emit({{ fired_at: event.timestamp }}); }},
}};"#,
        period_seconds()
    )
}

/// A source, and one of its due times in milliseconds.
struct Timer {
    source: Deployed,
    due: i64,
}

impl Timer {
    async fn of(source: Deployed) -> Timer {
        // While a tick runs, the next one is not planned.
        let due = wait_for(PATIENCE, "a due time", async || {
            let shown = source.api.get(&source.path("")).await.ok();
            shown["next_run_at"].as_i64()
        })
        .await;
        Timer { source, due }
    }

    /// The number of the last due time up to a moment.
    fn number_at(&self, ms: i64) -> i64 {
        (ms - self.due).div_euclid(period_seconds() * 1_000)
    }

    /// The next due time after a moment.
    fn due_after(&self, ms: i64) -> i64 {
        self.due + (self.number_at(ms) + 1) * period_seconds() * 1_000
    }

    /// The number of the due time that led to an event. The second in which it fired is known.
    fn number_of(&self, event: &StoredEvent) -> i64 {
        let fired_at = event.data["fired_at"].as_i64().expect("epoch seconds");
        self.number_at(fired_at * 1_000 + 999)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_due_time_of_a_timer_comes_exactly_once_across_takeovers() {
    let mut stage = Stage::start().await;
    let mut timers = Vec::new();
    for source in stage.deploy(timer_count(), &ticking()).await {
        timers.push(Timer::of(source).await);
    }
    for (turn, fault) in FAULTS.iter().cycle().take(takeover_count()).enumerate() {
        sleep_until(timers[0].due_after(now_ms() + BEFORE_DUE_MS) - BEFORE_DUE_MS).await;
        stage.suffer(*fault, turn % NODES).await;
    }
    let end = now_ms() + period_seconds() * 1_000;
    for timer in &timers {
        ticks_up_to(&stage, timer, end).await;
    }
    assert_eq!(
        commit_log::check(&stage.observer).await,
        Violations::default()
    );
}

async fn sleep_until(ms: i64) {
    let left = u64::try_from(ms - now_ms()).unwrap_or_default();
    sleep(Duration::from_millis(left)).await;
}

/// Waits for the last due time before `end`, and checks all before it.
async fn ticks_up_to(stage: &Stage, timer: &Timer, end: i64) {
    let last = timer.number_at(end);
    let numbers = wait_for(PATIENCE * 2, "the last due time", async || {
        let events = stage.ledger.events(&timer.source.id);
        let numbers: Vec<_> = events.iter().map(|event| timer.number_of(event)).collect();
        (numbers.last() >= Some(&last)).then_some(numbers)
    })
    .await;
    let expected: Vec<_> = (numbers[0]..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "due times of {}", timer.source.id);
}
