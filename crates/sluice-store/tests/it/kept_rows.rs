//! The numbers of stored events and log lines follow every write.

use rstest::rstest;
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    BatchLimit, Conn, Result,
    activity::Counts,
    count_ledger,
    events::{self, ChannelFilter, NewEvent},
    kept_rows::{self, Kept},
    logs::{self, NewLog},
    pruning, sources,
};

use crate::support::{Db, TestStore, source, source_id, user_id};

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
    let line = NewLog {
        invocation: None,
        ts: 1,
        kind: "k",
        level: "info",
        message: "m",
    };
    logs::insert(c, &source_id("s"), &line)
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
