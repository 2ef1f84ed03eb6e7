//! Timers across kills: no tick is lost for good, and none overlaps another.

use std::time::Duration;

use rand::RngExt;
use rstest::rstest;
use serde_json::Value;
use sluice_testkit::{Backend, TestRng, wait_for};

use super::stage::Stage;
use crate::support::{Deployed, PATIENCE};

const KILLS: usize = 3;

/// Counts its ticks; a tick that begins while another runs says so.
const TICKING: &str = r#"let running = 0;
module.exports = {
  name: "ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } }, db: "$.service.db" },
  async run() {
    running += 1;
    const overlaps = running > 1;
    await new Promise((done) => setTimeout(done, 400));
    const tick = (this.db.get("tick") ?? 0) + 1;
    this.db.set("tick", tick);
    running -= 1;
    this.$emit({ tick, overlaps });
  },
};"#;

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn an_interval_timer_ticks_on_after_every_kill_and_never_overlaps_itself(
    #[case] backend: Backend,
) {
    let mut stage = Stage::start(backend, &[]).await;
    let source = stage.deploy(TICKING).await;
    for _ in 0..KILLS {
        let before = stage.ledger.events(&source.id).len();
        wait_for(PATIENCE, "another tick", async || {
            (stage.ledger.events(&source.id).len() > before).then_some(())
        })
        .await;
        // Waiting for the next tick, in the middle of it, or at its commit.
        let moment = TestRng.random_range(0..1_100);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        stage.restart().await;
    }
    let so_far = stage.ledger.events(&source.id).len();
    let events = wait_for(PATIENCE, "two ticks after the last kill", async || {
        let events = stage.ledger.events(&source.id);
        (events.len() >= so_far + 2).then_some(events)
    })
    .await;
    for (event, expected) in events.iter().zip(1..) {
        assert_eq!(event.number("tick"), expected, "every tick counted once");
        assert_eq!(event.data["overlaps"], false, "{}", event.data);
    }
    assert!(stage.ledger.waiting(&source.id) <= 1, "one tick at a time");
}

/// Emits its tick by default.
const BARE: &str = r#"module.exports = {
  name: "bare", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
};"#;

#[tokio::test]
async fn ticks_missed_while_the_server_was_down_count_as_one() {
    let mut stage = Stage::start(Backend::Sqlite, &[]).await;
    let source = stage.deploy(BARE).await;
    source.events(1).await;
    stage.kill9();
    let before = stage.ledger.events(&source.id).len();
    // Time for three ticks.
    tokio::time::sleep(Duration::from_millis(3_100)).await;
    stage.restart().await;
    let events = wait_for(PATIENCE, "three ticks after the start", async || {
        let events = stage.ledger.events(&source.id);
        (events.len() >= before + 3).then_some(events)
    })
    .await;
    // Caught up one by one, three would come at once. With one for all, two of them keep the interval.
    let apart = events[before + 2].id.0 - events[before].id.0;
    assert!(apart > 700, "{apart} ms from the first to the third");
}

/// Takes longer than its interval.
const SLOW: &str = r#"module.exports = {
  name: "slow", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } } },
  async run() {
    await new Promise((done) => setTimeout(done, 2_500));
    this.$emit({});
  },
};"#;

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn late_and_skipped_timer_ticks_are_counted_and_shown(#[case] backend: Backend) {
    let mut stage = Stage::start(backend, &[]).await;
    let source = stage.deploy(SLOW).await;
    source.events(1).await;
    let skipped = |reason| format!("sluice_ticks_skipped_total{{reason=\"{reason}\"}}");
    let running = stage.metric(&skipped("running")).await;
    assert!(running >= 1, "ticks were due during the run");
    assert!(stage.metric("sluice_tick_lateness_seconds_count").await >= 1);
    assert_eq!(stage.metric(&skipped("down")).await, 0);
    let ticks = ticks_of(&source).await;
    assert!(
        ticks["skipped_last_hour"].as_u64() >= Some(running),
        "{ticks}"
    );
    assert_eq!(ticks["is_late"], true, "{ticks}");
    assert!(ticks["last_tick_at"].is_i64(), "{ticks}");

    stage.kill9();
    // Time for a tick to be late, and for more to be skipped.
    tokio::time::sleep(Duration::from_secs(7)).await;
    stage.restart().await;
    wait_for(PATIENCE, "ticks that the server missed", async || {
        (stage.metric(&skipped("down")).await >= 1).then_some(())
    })
    .await;
    let ticks = ticks_of(&source).await;
    assert!(ticks["late_last_day"].as_u64() >= Some(1), "{ticks}");
    assert!(
        ticks["skipped_last_day"].as_u64() > Some(running),
        "{ticks}"
    );
}

async fn ticks_of(source: &Deployed) -> Value {
    source.api.get(&source.path("")).await.ok()["ticks"].clone()
}
