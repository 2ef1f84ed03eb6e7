//! Counts of commits: rows that are only inserted, and added to the counters later.

use std::{sync::mpsc, time::Duration};

use rstest::rstest;
use sluice_store::{
    Conn, Result,
    activity::{self, Counts, Hour},
    count_ledger,
    emitters::{self, EmitterFilter, EmitterState},
    inbox::{self, InboxKind, NewInboxItem},
    kept_rows::Kept,
    query_one, sources, state,
    usage::{self, Usage},
    users,
};

use crate::support::{
    Db, TestStore, claimed, invocation_ids, source, source_id, user, user_id, workflow_id,
};

const DAY: i64 = 3;
const HOUR: i64 = DAY * 24 + 7;

fn counts(events: u64, errors: u64) -> Counts {
    Counts {
        events,
        errors,
        invocations: events + errors,
        compute_ms: 10 * events,
        late_ticks: errors,
        skipped_ticks: events,
    }
}

fn hour(hour: i64, events: u64, errors: u64) -> Hour {
    Hour {
        hour,
        counts: counts(events, errors),
    }
}

/// What every reader sees, before and after a roll-up.
fn check(c: &mut dyn Conn) -> Result<()> {
    let (a, s, w) = (user_id("a"), source_id("s"), workflow_id("w"));
    let of_source = [hour(HOUR, 3, 1), hour(HOUR + 24, 1, 0)];
    assert_eq!(activity::of_emitter(c, &s, 0)?, of_source);
    assert_eq!(activity::of_emitter(c, &w, 0)?, [hour(HOUR, 5, 0)]);
    let page = activity::of_emitters(c, &[s.clone().into(), w.into()], HOUR + 1)?;
    assert_eq!(page, [(s.into(), vec![hour(HOUR + 24, 1, 0)])].into());
    let of_user = [hour(HOUR, 8, 1), hour(HOUR + 24, 1, 0)];
    assert_eq!(activity::of_user(c, &a, 0)?, of_user);
    let used = |invocations, compute_ms| Usage {
        invocations,
        compute_ms,
    };
    assert_eq!(usage::of_day(c, &a, DAY)?, used(9, 80));
    assert_eq!(usage::of_day(c, &a, DAY + 1)?, used(1, 10));
    assert_eq!(usage::between(c, &a, 0, 9)?, used(10, 90));
    let active = emitters::sources(c, &a, 0)?;
    let sums: Vec<(u64, u64)> = active.iter().map(|row| (row.events, row.errors)).collect();
    assert_eq!(sums, [(4, 1)]);
    let failing = EmitterState::Failing { since: HOUR };
    let failing = EmitterFilter::new(None, Some(failing));
    assert_eq!(sources::count(c, &a, &failing)?, 1);
    let later = EmitterState::Failing { since: HOUR + 1 };
    let later = EmitterFilter::new(None, Some(later));
    assert_eq!(sources::count(c, &a, &later)?, 0);
    Ok(())
}

#[rstest]
fn readers_see_counts_before_and_after_they_are_rolled_up(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, s) = (user_id("a"), source_id("s"));
        sources::insert(c, &source("s", &a, 1))?;
        assert!(!count_ledger::has_rows(c)?);
        // Some are among the counters already.
        activity::add(c, &a, &s, HOUR, counts(1, 0))?;
        usage::add(
            c,
            &a,
            DAY,
            Usage {
                invocations: 1,
                compute_ms: 10,
            },
        )?;
        count_ledger::add(c, &a, &s, HOUR, counts(1, 0), Kept::default())?;
        count_ledger::add(c, &a, &s, HOUR, counts(1, 1), Kept::default())?;
        count_ledger::add(c, &a, &s, HOUR + 24, counts(1, 0), Kept::default())?;
        count_ledger::add(
            c,
            &a,
            &workflow_id("w"),
            HOUR,
            counts(5, 0),
            Kept::default(),
        )?;
        check(c)
    })
    .unwrap();
    // In several batches, each of which changes nothing for readers.
    for expected in [3, 1, 0] {
        let rolled_up = t.write(|c| {
            let rows = count_ledger::roll_up(c, 3)?;
            check(c)?;
            Ok(rows)
        });
        assert_eq!(rolled_up, Ok(expected));
    }
    assert_eq!(t.read(count_ledger::has_rows), Ok(false));
    t.read(|c| {
        let rows: i64 = query_one(c, "SELECT COUNT(*) FROM activity", &[])?;
        assert_eq!(rows, 3);
        check(c)
    })
    .unwrap();
}

#[rstest]
fn counts_of_a_removed_emitter_stay_with_its_user_and_go_with_the_user(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, s) = (user_id("a"), source_id("s"));
        users::insert(c, &user("a"), "print")?;
        sources::insert(c, &source("s", &a, 1))?;
        count_ledger::add(c, &a, &s, HOUR, counts(2, 0), Kept::default())?;
        sources::remove(c, &s)?;
        assert_eq!(activity::of_emitter(c, &s, 0)?, []);
        assert_eq!(activity::of_user(c, &a, 0)?, [hour(HOUR, 2, 0)]);
        assert_eq!(count_ledger::roll_up(c, 10)?, 1);
        assert_eq!(activity::of_emitter(c, &s, 0)?, []);
        assert_eq!(activity::of_user(c, &a, 0)?, [hour(HOUR, 2, 0)]);
        assert_eq!(usage::of_day(c, &a, DAY)?.invocations, 2);
        count_ledger::add(c, &a, &s, HOUR, counts(2, 0), Kept::default())?;
        users::remove(c, &a)?;
        assert_eq!(activity::of_user(c, &a, 0)?, []);
        assert_eq!(usage::of_day(c, &a, DAY)?, Usage::default());
        Ok(())
    })
    .unwrap();
}

/// A commit of a source, with all its locks.
fn commit(c: &mut dyn Conn, tail: &str) -> Result<()> {
    let fence = claimed(c, &source_id(tail), "server")?;
    let source = source_id(tail).into();
    state::advance(c, &source, &fence, 1, None)?;
    let id = &invocation_ids(1)[0];
    let item = NewInboxItem {
        id,
        kind: InboxKind::Http,
        prop: None,
        payload: "1",
        accepted_at: 1,
        depth: 0,
        reply_to: None,
        trace: None,
    };
    inbox::insert_all(c, [(&source, item)].into_iter())?;
    inbox::remove_all(c, &source, &[*id])?;
    count_ledger::add(
        c,
        &user_id("a"),
        &source,
        HOUR,
        counts(1, 0),
        Kept::default(),
    )?;
    // Sends what is deferred, so that all locks are taken.
    query_one::<i64>(c, "SELECT COUNT(*) FROM users", &[])?;
    Ok(())
}

/// SQLite has one writer at a time.
#[test]
fn commits_of_two_sources_of_one_account_do_not_wait_for_each_other() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let (signal, written) = mpsc::channel();
    let (release, others) = mpsc::channel();
    t.runtime.block_on(async {
        let store = t.store.clone();
        let first = tokio::spawn(async move {
            let hold = move |c: &mut dyn Conn| {
                commit(c, "first")?;
                signal.send(()).unwrap();
                // Another transaction that waits for one of these rows waits for longer than this.
                Ok(others.recv_timeout(Duration::from_secs(20)).is_ok())
            };
            store.commit(hold).await
        });
        tokio::task::yield_now().await;
        written.recv().unwrap();
        // In another pool, because the test has one connection in each.
        t.store.write(|c| commit(c, "second")).await.unwrap();
        // Rolling up skips rows of transactions in progress.
        let rolled_up = t.store.write(|c| count_ledger::roll_up(c, 10)).await;
        assert_eq!(rolled_up, Ok(1));
        release.send(()).unwrap();
        assert!(first.await.unwrap().unwrap(), "the second commit waited");
    });
    t.read(|c| {
        let of_user = activity::of_user(c, &user_id("a"), 0)?;
        assert_eq!(of_user, [hour(HOUR, 2, 0)]);
        Ok(())
    })
    .unwrap();
}
