//! Hourly counts.

use std::{sync::mpsc, time::Duration};

use rstest::rstest;
use sluice_model::{EventId, UserId};
use sluice_store::{
    Conn, Result,
    activity::{self, Counts, Hour},
    sources,
    state::{self, NewState},
    users, workflows,
};

use crate::support::{
    Db, TestStore, Work, claimed, source, source_id, user, user_id, workflow, workflow_id,
    write_together,
};

fn counts(events: u64, errors: u64) -> Counts {
    Counts {
        events,
        errors,
        invocations: events + errors,
        compute_ms: 10 * events,
        late_ticks: 2 * events,
        skipped_ticks: 3 * errors,
    }
}

fn hour(hour: i64, events: u64, errors: u64) -> Hour {
    Hour {
        hour,
        counts: counts(events, errors),
    }
}

fn add(c: &mut dyn Conn, user: &UserId, source: &str, hour: i64, events: u64) -> Result<()> {
    activity::add(c, user, &source_id(source), hour, counts(events, 0))
}

#[rstest]
fn hours_add_up_for_an_emitter_and_for_its_user(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let (one, other, run) = (source_id("one"), source_id("other"), workflow_id("w"));
        activity::add(c, &a, &one, 7, counts(2, 0))?;
        activity::add(c, &a, &one, 7, counts(3, 1))?;
        activity::add(c, &a, &run, 7, counts(0, 1))?;
        // The next hour is another row.
        activity::add(c, &a, &one, 8, counts(1, 0))?;
        activity::add(c, &b, &other, 7, counts(9, 9))?;

        let all = [hour(7, 5, 1), hour(8, 1, 0)];
        assert_eq!(activity::of_emitter(c, &one, 0)?, all);
        assert_eq!(activity::of_emitter(c, &one, 8)?, all[1..]);
        assert_eq!(activity::of_emitter(c, &one, 9)?, []);
        assert_eq!(activity::of_emitter(c, &run, 0)?, [hour(7, 0, 1)]);
        assert_eq!(activity::of_user(c, &a, 0)?, [hour(7, 5, 2), hour(8, 1, 0)]);
        assert_eq!(activity::of_user(c, &a, 8)?, [hour(8, 1, 0)]);
        assert_eq!(activity::of_user(c, &b, 0)?, [hour(7, 9, 9)]);
        assert_eq!(activity::of_user(c, &user_id("x"), 0)?, []);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_page_of_emitters_is_asked_for_at_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let (one, run) = (source_id("one"), workflow_id("w"));
        for (emitter, at) in [(&*one, 6), (&one, 8), (&one, 7), (&run, 7)] {
            activity::add(c, &a, emitter, at, counts(1, 0))?;
        }
        add(c, &a, "other", 7, 1)?;
        for (tail, emitted_at) in [("one", Some(5)), ("quiet", None), ("other", Some(6))] {
            let saved = NewState {
                emitted_at,
                ..NewState::default()
            };
            let fence = claimed(c, &source_id(tail), "server")?;
            state::advance(c, &source_id(tail), &fence, 1, Some(saved))?;
        }
        let page = [
            one.into(),
            source_id("quiet").into(),
            run.into(),
            source_id("unknown").into(),
        ];
        let hours = activity::of_emitters(c, &page, 7)?;
        assert_eq!(hours.len(), 2);
        assert_eq!(hours[&page[0]], [hour(7, 1, 0), hour(8, 1, 0)]);
        assert_eq!(hours[&page[2]], [hour(7, 1, 0)]);
        let last = state::last_emits(c, &page)?;
        assert_eq!(last, [(page[0].clone(), 5)].into());
        assert!(activity::of_emitters(c, &[], 0)?.is_empty());
        assert!(state::last_emits(c, &[])?.is_empty());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_is_counted_at_once_is_all_counted(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let works = (0..60).map(|number| {
        let work: Work = Box::new(move |c| {
            let source = ["one", "two", "three"][number % 3];
            add(c, &user_id("a"), source, 7, 1)
        });
        work
    });
    for result in write_together(&t, works.collect()) {
        result.unwrap();
    }
    t.read(|c| {
        assert_eq!(activity::of_user(c, &user_id("a"), 0)?, [hour(7, 60, 0)]);
        let one = activity::of_emitter(c, &source_id("one"), 0)?;
        assert_eq!(one, [hour(7, 20, 0)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn old_hours_go_a_few_at_a_time_the_oldest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for at in 1..=5 {
            add(c, &a, "one", at, 1)?;
        }
        add(c, &user_id("b"), "two", 2, 1)?;
        let left = |c: &mut dyn Conn| -> Result<Vec<i64>> {
            let hours = activity::of_emitter(c, &source_id("one"), 0)?;
            Ok(hours.iter().map(|row| row.hour).collect())
        };
        assert_eq!(activity::remove_before(c, 4, 1)?, 2);
        assert_eq!(left(c)?, [2, 3, 4, 5]);
        assert_eq!(activity::of_user(c, &a, 0)?.len(), 4);
        assert_eq!(activity::remove_before(c, 4, 100)?, 6);
        assert_eq!(left(c)?, [4, 5]);
        assert_eq!(activity::of_user(c, &a, 0)?.len(), 2);
        assert_eq!(activity::of_user(c, &user_id("b"), 0)?, []);
        assert_eq!(activity::remove_before(c, 4, 100)?, 0);
        Ok(())
    })
    .unwrap();
}

/// SQLite has one writer at a time.
#[test]
fn the_sweep_waits_for_no_source_that_is_being_removed() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let a = user_id("a");
    t.write(move |c| {
        sources::insert(c, &source("gone", &a, 1))?;
        for hour in 1..=5 {
            add(c, &a, "gone", hour, 1)?;
            add(c, &a, "stays", hour, 1)?;
        }
        Ok(())
    })
    .unwrap();
    let (signal, removed) = mpsc::channel();
    let (release, swept) = mpsc::channel();
    t.runtime.block_on(async {
        let store = t.store.clone();
        let removal = tokio::spawn(async move {
            let remove = move |c: &mut dyn Conn| {
                sources::remove(c, &source_id("gone"))?;
                signal.send(()).unwrap();
                // A transaction that waits for these rows waits for longer than this.
                Ok(swept.recv_timeout(Duration::from_secs(20)).is_ok())
            };
            // In another pool, because the test has one connection in each.
            store.commit(remove).await
        });
        tokio::task::yield_now().await;
        removed.recv().unwrap();
        let sweep = t.store.write(|c| activity::remove_before(c, 4, 100));
        // Of the other source, and of the user.
        assert_eq!(sweep.await.unwrap(), 3 + 3);
        release.send(()).unwrap();
        assert!(removal.await.unwrap().unwrap(), "the sweep waited");
    });
    t.read(|c| {
        assert_eq!(activity::of_emitter(c, &source_id("gone"), 0)?, []);
        let left = activity::of_emitter(c, &source_id("stays"), 0)?;
        assert_eq!(left, [hour(4, 1, 0), hour(5, 1, 0)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn hours_go_with_their_emitter_and_those_of_an_account_with_its_user(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        users::insert(c, &user("a"), "print")?;
        sources::insert(c, &source("gone", &a, 1))?;
        workflows::insert(c, &workflow("gone", &a, 1))?;
        add(c, &a, "gone", 7, 1)?;
        add(c, &a, "stays", 7, 1)?;
        activity::add(c, &a, &workflow_id("gone"), 7, counts(1, 0))?;
        sources::remove(c, &source_id("gone"))?;
        workflows::remove(c, &a, &workflow_id("gone"))?;
        assert_eq!(activity::of_emitter(c, &source_id("gone"), 0)?, []);
        assert_eq!(activity::of_emitter(c, &workflow_id("gone"), 0)?, []);
        assert_eq!(
            activity::of_emitter(c, &source_id("stays"), 0)?,
            [hour(7, 1, 0)]
        );
        // Counts stay after a removal.
        assert_eq!(activity::of_user(c, &a, 0)?, [hour(7, 3, 0)]);
        users::remove(c, &a)?;
        assert_eq!(activity::of_user(c, &a, 0)?, []);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_last_emit_is_remembered_when_only_errors_follow(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let fence = claimed(c, &source_id("s"), "server")?;
        let save = |c: &mut dyn Conn, number, ms, emitted_at| {
            let saved = NewState {
                last_event: Some(EventId { ms, seq: 0 }),
                dedupe: None,
                emitted_at,
            };
            state::advance(c, &source_id("s"), &fence, number, Some(saved))
        };
        let last = |c: &mut dyn Conn| -> Result<Option<i64>> {
            let last = state::last_emits(c, &[source_id("s").into()])?;
            Ok(last.get(&*source_id("s")).copied())
        };
        assert_eq!(last(c)?, None);
        save(c, 1, 4, None)?;
        assert_eq!(last(c)?, None);
        save(c, 2, 5, Some(5))?;
        save(c, 3, 6, None)?;
        assert_eq!(last(c)?, Some(5));
        save(c, 4, 7, Some(7))?;
        assert_eq!(last(c)?, Some(7));
        Ok(())
    })
    .unwrap();
}
