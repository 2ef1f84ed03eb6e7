//! Deleting rows beyond the retention limits.

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    BatchLimit, Conn, Result,
    events::{self, ChannelFilter, NewEvent},
    last_requests,
    logs::{self, NewLog},
    pruning::{self, AgeCheck},
    sources::{self, Retention},
};

use crate::support::{Db, TestStore, hold, source, source_id, user_id};

const MUCH: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 1_000_000,
};

fn emit(c: &mut dyn Conn, source: &str, ms: i64, data: &str) -> Result<()> {
    let event = NewEvent {
        id: EventId { ms, seq: 0 },
        channel: "",
        emit_id: "emit",
        meta: "{}",
        data,
    };
    events::insert(c, &source_id(source), &event)
}

fn log(c: &mut dyn Conn, source: &str, ts: i64) -> Result<()> {
    let line = NewLog {
        invocation: None,
        ts,
        kind: "console",
        level: "info",
        message: "message",
    };
    logs::insert(c, &source_id(source), &line)?;
    Ok(())
}

fn left(c: &mut dyn Conn) -> Vec<i64> {
    let all = ChannelFilter::AllButSystem;
    let found = events::newest(c, &source_id("s"), &all, 100, None, None).unwrap();
    found.iter().map(|event| event.id.ms).collect()
}

#[rstest]
fn the_newest_events_are_kept_and_the_oldest_go_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=6 {
            emit(c, "s", ms, "1")?;
            emit(c, "foreign", ms, "1")?;
        }
        let source = source_id("s");
        assert_eq!(pruning::events_beyond(c, &source, 6)?, None);
        let last = pruning::events_beyond(c, &source, 2)?.unwrap();
        assert_eq!(last, EventId { ms: 4, seq: 0 });
        let two = BatchLimit { rows: 2, ..MUCH };
        assert_eq!(pruning::events(c, &source, last, two)?, 2);
        assert_eq!(left(c), [6, 5, 4, 3]);
        let small = BatchLimit { bytes: 1, ..MUCH };
        assert_eq!(pruning::events(c, &source, last, small)?, 1);
        assert_eq!(pruning::events(c, &source, last, MUCH)?, 1);
        assert_eq!(pruning::events(c, &source, last, MUCH)?, 0);
        assert_eq!(left(c), [6, 5]);
        assert_eq!(events::count_kept(c, &source_id("foreign"))?, 6);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn events_that_wait_for_their_time_stay(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for ms in 1..=4 {
            emit(c, "s", ms, "1")?;
        }
        hold(c, "s", EventId { ms: 1, seq: 0 })?;
        hold(c, "foreign", EventId { ms: 2, seq: 0 })?;
        let last = EventId { ms: 3, seq: 0 };
        let one = BatchLimit { rows: 1, ..MUCH };
        assert_eq!(pruning::events(c, &source_id("s"), last, one)?, 1);
        assert_eq!(left(c), [4, 3, 1]);
        assert_eq!(pruning::events(c, &source_id("s"), last, MUCH)?, 1);
        assert_eq!(left(c), [4, 1]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn log_lines_go_by_place_and_by_age(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s");
        for ts in 1..=5 {
            log(c, "s", ts)?;
            log(c, "foreign", ts)?;
        }
        assert_eq!(pruning::logs_older_than(c, &s, 1)?, None);
        let last = pruning::logs_older_than(c, &s, 4)?.unwrap();
        assert_eq!(logs::get(c, &s, last)?.unwrap().ts, 3);
        let two = BatchLimit { rows: 2, ..MUCH };
        assert_eq!(pruning::logs(c, &s, last, two)?, 2);
        assert_eq!(pruning::logs(c, &s, last, MUCH)?, 1);
        assert_eq!(pruning::logs(c, &s, last, MUCH)?, 0);
        assert_eq!(logs::count(c, &s)?, 2);
        assert_eq!(logs::count(c, &source_id("foreign"))?, 5);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn sources_with_something_too_old_are_found(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (tail, max_age_seconds) in [("a", None), ("b", Some(1)), ("c", Some(5)), ("d", None)] {
            let retention = Retention {
                max_events: None,
                max_age_seconds,
            };
            let mut row = source(tail, &user_id("u"), 1);
            row.retention = retention;
            sources::insert(c, &row)?;
            let stored = sources::get_for_run(c, &row.id)?.unwrap();
            assert_eq!(stored.retention, retention);
        }
        for tail in ["a", "b", "c"] {
            emit(c, tail, 7_000, "1")?;
        }
        let aged = |tail, before_ms, too_old| AgeCheck {
            emitter: source_id(tail).into(),
            before_ms,
            too_old,
        };
        let now = 10_000;
        assert_eq!(
            pruning::with_aging_events(c, now, None, None, 9)?,
            [aged("b", 9_000, true), aged("c", 5_000, false)]
        );
        let default = Some(2_000);
        assert_eq!(
            pruning::with_aging_events(c, now, default, None, 2)?,
            [aged("a", 8_000, true), aged("b", 9_000, true)]
        );
        let b = source_id("b");
        assert_eq!(
            pruning::with_aging_events(c, now, default, Some(&b), 9)?,
            [aged("c", 5_000, false), aged("d", 8_000, false)]
        );
        hold(c, "b", EventId { ms: 7_000, seq: 0 })?;
        let held = pruning::with_aging_events(c, now, None, None, 1)?;
        assert_eq!(held, [aged("b", 9_000, false)]);
        last_requests::record(c, &source_id("b").into(), "{}", 8_999)?;
        let with_request = pruning::with_aging_events(c, now, None, None, 1)?;
        assert_eq!(with_request, [aged("b", 9_000, true)]);

        log(c, "a", 5)?;
        log(c, "b", 6)?;
        assert_eq!(
            pruning::with_old_logs(c, 6, None, 3)?,
            [aged("a", 6, true), aged("b", 6, false), aged("c", 6, false)]
        );
        assert_eq!(pruning::with_old_logs(c, 6, Some(&b), 9)?.len(), 2);
        Ok(())
    })
    .unwrap();
}
