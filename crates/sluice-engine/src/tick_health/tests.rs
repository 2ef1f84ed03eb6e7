use sluice_infra::testing;
use sluice_model::SourceId;

use super::*;

const MINUTELY: TimerSpec = TimerSpec::Interval { seconds: 60 };

fn times(dispatched: Option<i64>, ended: i64) -> TickTimes {
    let at = |seconds: i64| seconds * 1_000;
    TickTimes {
        due: 0,
        dispatched: dispatched.map(at),
        ended: at(ended),
    }
}

fn skipped(down: u64, waiting: u64, running: u64) -> SkippedTicks {
    SkippedTicks {
        down,
        waiting,
        running,
    }
}

#[test]
fn the_reason_of_a_skipped_tick_is_the_state_of_the_one_before() {
    for (times, started_s, expected) in [
        (times(Some(1), 59), -100, skipped(0, 0, 0)),
        (times(Some(1), 60), -100, skipped(0, 0, 1)),
        (times(Some(130), 131), -100, skipped(0, 2, 0)),
        (times(Some(130), 200), -100, skipped(0, 2, 1)),
        (times(Some(190), 250), 130, skipped(2, 1, 1)),
        // It never got a process.
        (times(None, 70), -100, skipped(0, 1, 0)),
        // The clock was set back.
        (times(Some(-50), -40), -100, skipped(0, 0, 0)),
    ] {
        assert_eq!(times.skipped(&MINUTELY, started_s * 1_000), expected);
    }
}

#[test]
fn lateness_is_the_time_until_the_dispatch() {
    assert_eq!(times(Some(7), 60).lateness_ms(), 7_000);
    assert_eq!(times(None, 60).lateness_ms(), 60_000);
    assert_eq!(times(Some(-7), 60).lateness_ms(), 0);
    assert!(!is_late(5_000));
    assert!(is_late(5_001));
}

#[test]
fn a_summary_names_the_worst_and_the_remedy() {
    let source = |name: &str| EmitterId::from(SourceId::parse(name).expect("an id"));
    let mut summary = Summary::default();
    assert_eq!(summary.hint(), None);
    summary.skipped.add(skipped(1, 0, 0));
    assert!(summary.hint().is_some_and(|hint| hint.contains("down")));
    summary.skipped.add(skipped(0, 0, 1));
    assert!(summary.hint().is_some_and(|hint| hint.contains("interval")));
    summary.late(&source("dc_a"), 6_000);
    summary.late(&source("dc_b"), 9_000);
    summary.late(&source("dc_c"), 7_000);
    assert_eq!(summary.late, 3);
    assert_eq!(summary.worst, Some((9_000, source("dc_b"))));
    let hint = summary.hint().expect("a remedy");
    assert!(hint.contains("--max-processes"), "{hint}");
}

#[tokio::test(start_paused = true)]
async fn warnings_are_at_least_a_minute_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let (infra, _clock) = testing::infra(folder.path());
    let health = TickHealth::new(&infra);
    tokio::spawn(health.clone().warn());
    let unreported = || health.unreported.summary.lock().skipped.total();
    health.skipped(skipped(0, 1, 0));
    assert_eq!(unreported(), 1);
    tokio::time::sleep(COLLECT * 2).await;
    assert_eq!(unreported(), 0);
    health.skipped(skipped(0, 2, 0));
    tokio::time::sleep(WARNING_PERIOD.saturating_sub(COLLECT * 2)).await;
    assert_eq!(unreported(), 2);
    tokio::time::sleep(COLLECT * 2).await;
    assert_eq!(unreported(), 0);
    infra.shutdown.drain(COLLECT).await;
}
