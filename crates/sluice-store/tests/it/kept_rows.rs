//! The numbers of stored events and log lines follow every write.

use std::sync::mpsc;

use rstest::rstest;
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    BatchLimit, Conn, Result,
    activity::Counts,
    count_ledger,
    events::{self, ChannelFilter, NewEvent},
    kept_rows::{self, Kept},
    logs::{self, NewLog},
    params, pruning, query_one, sources, workflows,
};

use crate::support::{Db, TestStore, source, source_id, user_id, workflow, workflow_id};

const BATCH: BatchLimit = BatchLimit {
    rows: 100,
    bytes: u64::MAX,
};

/// Stores events as a commit does, one in each channel.
fn commit(c: &mut dyn Conn, channels: &[(i64, &str)]) -> Result<()> {
    let emitter: EmitterId = source_id("s").into();
    let mut kept = Kept::default();
    let rows = channels.iter().map(|(ms, channel)| {
        kept.add_events(channel, 1);
        let event = NewEvent {
            id: EventId { ms: *ms, seq: 0 },
            channel,
            emit_id: "e",
            meta: "{}",
            data: "1",
        };
        (event, None)
    });
    events::insert_all(c, &emitter, rows)?;
    let user = user_id("a");
    count_ledger::add(c, &user, &emitter, 1, Counts::default(), kept)
}

fn log(c: &mut dyn Conn) -> Result<i64> {
    log_of(c, &source_id("s").into())
}

fn log_of(c: &mut dyn Conn, emitter: &EmitterId) -> Result<i64> {
    let line = NewLog {
        invocation: None,
        ts: 1,
        kind: "k",
        level: "info",
        message: "m",
    };
    logs::insert(c, emitter, &line)
}

fn channel(name: &str) -> ChannelFilter {
    ChannelFilter::One(name.to_owned())
}

/// The numbers are those that counting has.
fn check(c: &mut dyn Conn, expected: (u64, u64, u64)) -> Result<()> {
    let s = source_id("s");
    let (all, errors) = (ChannelFilter::AllButSystem, channel("$errors"));
    let kept = (
        events::known_count(c, &s, &all)?,
        events::known_count(c, &s, &errors)?,
        kept_rows::logs(c, &s)?,
    );
    let counted = (
        events::count(c, &s, &all)?,
        events::count(c, &s, &errors)?,
        logs::count(c, &s)?,
    );
    assert_eq!((kept, counted), (expected, expected));
    Ok(())
}

#[rstest]
fn numbers_follow_commits_deletions_and_retention(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let s = source_id("s");
        sources::insert(c, &source("s", &user_id("a"), 1))?;
        check(c, (0, 0, 0))?;
        let channels = [(1, ""), (2, "$errors"), (3, "custom"), (4, ""), (5, "$sse")];
        commit(c, &channels)?;
        let first = log(c)?;
        log(c)?;
        check(c, (3, 1, 2))?;
        assert_eq!(events::known_count(c, &s, &channel("custom"))?, 1);
        // Some are deleted while they are in the ledger.
        let second = EventId { ms: 2, seq: 0 };
        assert_eq!(pruning::events(c, &s, second, BATCH)?, 2);
        check(c, (2, 0, 2))?;
        assert_eq!(count_ledger::roll_up(c, 10)?, 1);
        check(c, (2, 0, 2))?;
        commit(c, &[(6, "$errors"), (7, "")])?;
        assert_eq!(pruning::logs(c, &s, first, BATCH)?, 1);
        check(c, (3, 1, 1))?;
        assert_eq!(
            events::delete_range(c, &s, &channel("$errors"), None, None)?,
            1
        );
        let all = ChannelFilter::AllButSystem;
        let from = Some(EventId { ms: 4, seq: 0 });
        assert_eq!(events::delete_range(c, &s, &all, from, None)?, 2);
        assert_eq!(logs::delete_range(c, &s, None, None)?, 1);
        check(c, (1, 0, 0))?;
        sources::remove(c, &s)?;
        assert_eq!(kept_rows::of_emitter(c, &s)?, Kept::default());
        Ok(())
    })
    .unwrap();
}

/// A transaction locks a row of an emitter, waits until the removal of the emitter waits for it, and changes the numbers.
fn remove_beside(
    emitter: &EmitterId,
    lock: &'static str,
    remove: fn(&mut dyn Conn) -> Result<bool>,
) {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let stored = emitter.clone();
    t.write(move |c| {
        let user = user_id("a");
        sources::insert(c, &source("s", &user, 1))?;
        workflows::insert(c, &workflow("w", &user, 1))?;
        count_ledger::add(c, &user, &stored, 1, Counts::default(), Kept::default())?;
        count_ledger::roll_up(c, 10)?;
        log_of(c, &stored)
    })
    .unwrap();
    let (signal, locked) = mpsc::channel();
    let (release, waiting) = mpsc::channel::<()>();
    t.runtime.block_on(async {
        let (store, emitter) = (t.store.clone(), emitter.clone());
        let change = move |c: &mut dyn Conn| {
            assert_eq!(c.execute(lock, params![&emitter])?, 1);
            signal.send(()).unwrap();
            waiting.recv().unwrap();
            log_of(c, &emitter).map(drop)
        };
        let changing = tokio::spawn(async move { store.commit(change).await });
        tokio::task::yield_now().await;
        locked.recv().unwrap();
        let store = t.store.clone();
        let removing = tokio::spawn(async move { store.write(remove).await });
        let waits = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock')";
        let is_waiting = move |c: &mut dyn Conn| query_one::<bool>(c, waits, &[]);
        while !t.store.read(is_waiting).await.unwrap() {}
        release.send(()).unwrap();
        assert_eq!(changing.await.unwrap(), Ok(()));
        assert_eq!(removing.await.unwrap(), Ok(true));
    });
}

#[test]
fn a_source_is_removed_beside_a_deletion_of_its_logs_on_postgres() {
    let lock = "DELETE FROM logs WHERE emitter_id = ?1";
    remove_beside(&source_id("s").into(), lock, |c| {
        sources::remove(c, &source_id("s"))
    });
}

#[test]
fn a_workflow_is_removed_beside_a_roll_up_of_its_counts_on_postgres() {
    let lock = "UPDATE activity SET events = events WHERE emitter_id = ?1";
    remove_beside(&workflow_id("w").into(), lock, |c| {
        workflows::remove(c, &user_id("a"), &workflow_id("w"))
    });
}
