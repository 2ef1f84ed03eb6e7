//! Accepted work.

use std::collections::HashSet;

use rstest::rstest;
use sluice_model::{EmitterId, InvocationId, SourceId};
use sluice_store::{
    Conn, Result, StoreError,
    inbox::{self, InboxItem, InboxKind, NewInboxItem, Room, Waiting},
    sources::{self, Phase, Source},
};

use crate::support::{Db, TestStore, invocation_ids, source, source_id, user_id};

fn item(id: &InvocationId) -> NewInboxItem<'_> {
    NewInboxItem {
        id,
        kind: InboxKind::Http,
        prop: Some("http"),
        payload: "{\"body\":1}",
        accepted_at: 4,
        depth: 0,
    }
}

/// What waits, for a reader that knows nothing and has room for `rows`.
fn waiting(c: &mut dyn Conn, source: &SourceId, rows: usize) -> Vec<InboxItem> {
    let room = Room {
        known: &HashSet::new(),
        rows,
        bytes: u64::MAX,
    };
    inbox::waiting(c, source, &room).unwrap().items
}

fn count(c: &mut dyn Conn, source: &SourceId) -> Result<u64> {
    let counts = inbox::counts(c, &[source.clone().into(), source_id("without").into()])?;
    Ok(counts.values().sum())
}

#[rstest]
fn work_waits_oldest_first_until_it_is_removed(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        let ids = invocation_ids(3);
        let manual = NewInboxItem {
            kind: InboxKind::Manual,
            prop: None,
            ..item(&ids[0])
        };
        inbox::insert(c, &source, &item(&ids[2]))?;
        inbox::insert(c, &source, &manual)?;
        inbox::insert(c, &source, &item(&ids[1]))?;
        inbox::insert(c, &source_id("other"), &item(&ids[0]))?;

        let items = waiting(c, &source, 10);
        let order: Vec<_> = items.iter().map(|item| item.id).collect();
        assert_eq!(order, ids);
        let first = InboxItem {
            id: ids[0],
            kind: InboxKind::Manual,
            prop: None,
            payload: "{\"body\":1}".to_owned(),
            attempts: 0,
            accepted_at: 4,
            depth: 0,
        };
        assert_eq!(items[0], first);
        assert_eq!(items[1].prop.as_deref(), Some("http"));
        assert_eq!(waiting(c, &source, 2).len(), 2);
        assert_eq!(count(c, &source)?, 3);

        assert!(inbox::contains(c, &source, &ids[0])?);
        assert!(inbox::remove(c, &source, &ids[0])?);
        assert!(!inbox::contains(c, &source, &ids[0])?);
        assert!(!inbox::remove(c, &source, &ids[0])?);
        assert_eq!(count(c, &source)?, 2);
        assert_eq!(waiting(c, &source, 10).len(), 2);
        assert_eq!(count(c, &source_id("other"))?, 1);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn attempts_are_counted(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        let ids = invocation_ids(2);
        inbox::insert(c, &source, &item(&ids[0]))?;
        assert_eq!(inbox::add_attempt(c, &source, &ids[0])?, Some(1));
        assert_eq!(inbox::add_attempt(c, &source, &ids[0])?, Some(2));
        assert_eq!(inbox::add_attempt(c, &source, &ids[1])?, None);
        assert_eq!(waiting(c, &source, 1)[0].attempts, 2);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_id_is_accepted_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let accept = |c: &mut dyn Conn| inbox::insert(c, &source_id("s"), &item(&invocation_ids(1)[0]));
    assert_eq!(t.write(accept), Ok(()));
    let again = t.write(accept);
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
}

#[rstest]
fn only_live_active_sources_have_work(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let rows = [
            source("live", &a, 1),
            Source {
                active: false,
                ..source("inactive", &a, 1)
            },
            Source {
                phase: Phase::Creating,
                ..source("creating", &a, 1)
            },
        ];
        for (row, id) in rows.iter().zip(invocation_ids(3)) {
            sources::insert(c, row)?;
            inbox::insert(c, &row.id, &item(&id))?;
        }
        sources::insert(c, &source("idle", &a, 1))?;
        assert_eq!(
            inbox::emitters_with_work(c)?,
            [EmitterId::from(source_id("live"))]
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_reader_gets_what_it_has_room_for(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        let ids = invocation_ids(4);
        // Two characters, four bytes: room is counted in bytes.
        let payload = "éé";
        for id in &ids {
            let item = NewInboxItem {
                payload,
                ..item(id)
            };
            inbox::insert(c, &source, &item)?;
        }
        let known = HashSet::from([ids[0]]);
        let mut look = |known: &HashSet<InvocationId>, rows, bytes| {
            let room = Room { known, rows, bytes };
            let Waiting { items, complete } = inbox::waiting(c, &source, &room)?;
            let found: Vec<_> = items.iter().map(|item| item.id).collect();
            sluice_store::Result::Ok((found, complete))
        };
        let none = &HashSet::new();
        assert_eq!(look(none, 9, 100)?, (ids.clone(), true));
        assert_eq!(look(none, 3, 100)?, (ids[..3].to_vec(), false));
        assert_eq!(look(none, 9, 8)?, (ids[..2].to_vec(), false));
        assert_eq!(look(none, 9, 1)?, (ids[..1].to_vec(), false));
        assert_eq!(look(&known, 2, 100)?, (ids[1..3].to_vec(), false));
        assert_eq!(look(&known, 9, 100)?, (ids[1..].to_vec(), true));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn work_of_one_kind_is_dropped(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        let ids = invocation_ids(3);
        for (id, kind) in ids
            .iter()
            .zip([InboxKind::Timer, InboxKind::Http, InboxKind::Timer])
        {
            inbox::insert(c, &source, &NewInboxItem { kind, ..item(id) })?;
        }
        assert_eq!(inbox::remove_kind(c, &source, InboxKind::Timer)?, 2);
        assert_eq!(inbox::remove_kind(c, &source, InboxKind::Manual)?, 0);
        assert_eq!(waiting(c, &source, 9)[0].id, ids[1]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn work_of_a_deleted_source_is_dropped(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = invocation_ids(2);
        sources::insert(c, &source("kept", &user_id("a"), 1))?;
        inbox::insert(c, &source_id("kept"), &item(&ids[0]))?;
        inbox::insert(c, &source_id("gone"), &item(&ids[1]))?;
        assert_eq!(inbox::remove_orphans(c)?, 1);
        assert_eq!(count(c, &source_id("kept"))?, 1);
        assert_eq!(count(c, &source_id("gone"))?, 0);
        Ok(())
    })
    .unwrap();
}
