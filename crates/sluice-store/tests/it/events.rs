//! Events: paging, channels, deletion.

use rstest::rstest;
use sluice_model::EventId;
use sluice_store::{
    BatchLimit, Conn, Result, StoreError,
    events::{self, ChannelFilter, NewEvent, StoredEvent},
    held_events,
};

use crate::support::{Db, TestStore, held, hold, source_id};

const fn id(ms: i64, seq: i64) -> EventId {
    EventId { ms, seq }
}

fn emit(c: &mut dyn Conn, id: EventId, channel: &str) -> Result<()> {
    let event = NewEvent {
        id,
        channel,
        emit_id: "emit",
        meta: "{\"id\":\"x\"}",
        data: "{\"n\": 1}",
    };
    events::insert(c, &source_id("s"), &event)
}

/// Three on the default channel, one custom, one of the system; and another source's.
fn fill(c: &mut dyn Conn) -> Result<()> {
    emit(c, id(1, 0), "")?;
    emit(c, id(1, 1), "custom")?;
    emit(c, id(2, 0), "")?;
    emit(c, id(2, 1), "$errors")?;
    emit(c, id(10, 0), "")?;
    let foreign = NewEvent {
        id: id(5, 0),
        channel: "",
        emit_id: "emit",
        meta: "{}",
        data: "1",
    };
    events::insert(c, &source_id("foreign"), &foreign)
}

fn one(channel: &str) -> ChannelFilter {
    ChannelFilter::One(channel.to_owned())
}

fn ids(
    c: &mut dyn Conn,
    filter: &ChannelFilter,
    limit: u32,
    after: Option<EventId>,
    before: Option<EventId>,
) -> Vec<String> {
    events::newest(c, &source_id("s"), filter, limit, after, before)
        .unwrap()
        .iter()
        .map(|event| event.id.to_string())
        .collect()
}

#[rstest]
fn pages_are_newest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        let all = &ChannelFilter::AllButSystem;
        assert_eq!(ids(c, all, 9, None, None), ["10-0", "2-0", "1-1", "1-0"]);
        assert_eq!(ids(c, all, 2, None, None), ["10-0", "2-0"]);
        assert_eq!(ids(c, all, 2, Some(id(10, 0)), None), ["2-0", "1-1"]);
        assert_eq!(ids(c, all, 2, Some(id(1, 0)), None), [""; 0]);
        assert_eq!(ids(c, all, 2, None, Some(id(1, 0))), ["2-0", "1-1"]);
        assert_eq!(ids(c, all, 9, None, Some(id(2, 1))), ["10-0"]);
        let (after, before) = (Some(id(10, 0)), Some(id(1, 0)));
        assert_eq!(ids(c, all, 9, after, before), ["2-0", "1-1"]);
        assert_eq!(ids(c, all, 0, None, None), [""; 0]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn channels_are_told_apart(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        let source = source_id("s");
        assert_eq!(ids(c, &one(""), 9, None, None), ["10-0", "2-0", "1-0"]);
        assert_eq!(ids(c, &one("$errors"), 9, None, None), ["2-1"]);
        assert_eq!(ids(c, &one("CUSTOM"), 9, None, None), [""; 0]);
        for event in events::after(c, &source, &ChannelFilter::AllButSystem, None, ALL)? {
            assert!(ChannelFilter::AllButSystem.admits(&event.channel));
            assert_eq!(one("custom").admits(&event.channel), event.id == id(1, 1));
        }
        assert!(!ChannelFilter::AllButSystem.admits("$errors") && one("$errors").admits("$errors"));
        assert_eq!(events::count(c, &source, &ChannelFilter::AllButSystem)?, 4);
        assert_eq!(events::count(c, &source, &one(""))?, 3);
        assert_eq!(events::count(c, &source, &one("none"))?, 0);
        let stored = StoredEvent {
            id: id(1, 1),
            channel: "custom".to_owned(),
            emit_id: "emit".to_owned(),
            meta: "{\"id\":\"x\"}".to_owned(),
            data: "{\"n\": 1}".to_owned(),
        };
        let found = events::newest(c, &source, &one("custom"), 9, None, None)?;
        assert_eq!(found, [stored]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
#[case(None, None, 4, &["2-1"])]
#[case(Some(id(1, 1)), Some(id(2, 0)), 2, &["10-0", "2-1", "1-0"])]
#[case(Some(id(2, 0)), None, 2, &["2-1", "1-1", "1-0"])]
#[case(None, Some(id(1, 1)), 2, &["10-0", "2-1", "2-0"])]
#[case(Some(id(3, 0)), Some(id(2, 0)), 0, &["10-0", "2-1", "2-0", "1-1", "1-0"])]
fn ranges_are_deleted_with_both_ends(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
    #[case] start: Option<EventId>,
    #[case] end: Option<EventId>,
    #[case] deleted: u64,
    #[case] left: &'static [&'static str],
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(move |c| {
        fill(c)?;
        let source = source_id("s");
        let all = ChannelFilter::AllButSystem;
        assert_eq!(events::delete_range(c, &source, &all, start, end)?, deleted);
        let mut kept: Vec<EventId> = Vec::new();
        for filter in [all, one("$errors")] {
            let found = events::newest(c, &source, &filter, 9, None, None)?;
            kept.extend(found.iter().map(|event| event.id));
        }
        kept.sort_unstable_by(|a, b| b.cmp(a));
        let kept: Vec<String> = kept.iter().map(EventId::to_string).collect();
        assert_eq!(kept, left);
        let foreign = events::count(c, &source_id("foreign"), &one(""))?;
        assert_eq!(foreign, 1);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_event_is_found_by_its_id_and_by_its_place(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        let source = source_id("s");
        let found = events::get(c, &source, id(2, 1))?.unwrap();
        assert_eq!((found.id, found.channel.as_str()), (id(2, 1), "$errors"));
        assert_eq!(events::get(c, &source, id(5, 0))?, None);
        let mut behind = |ahead| events::id_behind(c, &source, &one(""), ahead).unwrap();
        assert_eq!(behind(0), Some(id(10, 0)));
        assert_eq!(behind(2), Some(id(1, 0)));
        assert_eq!(behind(3), None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn deleting_an_event_cancels_its_waiting(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        for (ms, seq) in [(1, 0), (1, 1), (2, 0)] {
            hold(c, "s", id(ms, seq))?;
        }
        hold(c, "foreign", id(1, 1))?;
        assert!(held_events::is_held(c, &source_id("s"), id(1, 1))?);
        events::delete_range(c, &source_id("s"), &one("custom"), None, None)?;
        assert!(!held_events::is_held(c, &source_id("s"), id(1, 1))?);
        assert_eq!(held(c)?, ["dc_foreign 1-1", "dc_s 1-0", "dc_s 2-0"]);
        let all = ChannelFilter::AllButSystem;
        events::delete_range(c, &source_id("s"), &all, Some(id(1, 1)), None)?;
        assert_eq!(held(c)?, ["dc_foreign 1-1", "dc_s 1-0"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_event_id_is_used_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| emit(c, id(1, 0), "")).unwrap();
    let again = t.write(|c| emit(c, id(1, 0), "other"));
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
}

const ALL: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 1_000,
};

fn ids_after(
    c: &mut dyn Conn,
    filter: &ChannelFilter,
    after: Option<EventId>,
    limit: BatchLimit,
) -> Vec<String> {
    events::after(c, &source_id("s"), filter, after, limit)
        .unwrap()
        .iter()
        .map(|event| event.id.to_string())
        .collect()
}

#[rstest]
fn what_came_after_an_event_is_oldest_first(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        let all = &ChannelFilter::AllButSystem;
        assert_eq!(ids_after(c, all, None, ALL), ["1-0", "1-1", "2-0", "10-0"]);
        assert_eq!(
            ids_after(c, all, Some(id(1, 0)), ALL),
            ["1-1", "2-0", "10-0"]
        );
        assert_eq!(ids_after(c, all, Some(id(5, 7)), ALL), ["10-0"]);
        assert_eq!(ids_after(c, all, Some(id(10, 0)), ALL), [""; 0]);
        assert_eq!(ids_after(c, &one("$errors"), None, ALL), ["2-1"]);
        assert_eq!(ids_after(c, &one(""), Some(id(1, 0)), ALL), ["2-0", "10-0"]);
        let two = BatchLimit { rows: 2, ..ALL };
        assert_eq!(ids_after(c, all, None, two), ["1-0", "1-1"]);
        let small = BatchLimit { bytes: 1, ..ALL };
        assert_eq!(ids_after(c, all, None, small), ["1-0"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_event_that_waits_for_its_time_has_not_come_yet(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        fill(c)?;
        c.execute_script(&format!(
            "INSERT INTO held_events (emitter_id, ms, seq, due_at, depth) VALUES ('{}', 2, 0, 99, 0)",
            source_id("s")
        ))?;
        let all = &ChannelFilter::AllButSystem;
        assert_eq!(ids_after(c, all, None, ALL), ["1-0", "1-1", "10-0"]);
        Ok(())
    })
    .unwrap();
}
