//! Accepted work.

use rstest::rstest;
use sluice_store::{
    StoreError,
    inbox::{self, InboxItem, InboxKind, NewInboxItem},
    sources::{self, Phase, Source},
};

use crate::support::{Db, TestStore, invocation_ids, source, source_id, user_id};

fn item(id: &sluice_model::InvocationId) -> NewInboxItem<'_> {
    NewInboxItem {
        id,
        kind: InboxKind::Http,
        prop: Some("http"),
        payload: "{\"body\":1}",
        accepted_at: 4,
    }
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

        let waiting = inbox::waiting(c, &source, 10)?;
        let order: Vec<_> = waiting.iter().map(|item| item.id).collect();
        assert_eq!(order, ids);
        let first = InboxItem {
            id: ids[0],
            kind: InboxKind::Manual,
            prop: None,
            payload: "{\"body\":1}".to_owned(),
            attempts: 0,
            accepted_at: 4,
        };
        assert_eq!(waiting[0], first);
        assert_eq!(waiting[1].prop.as_deref(), Some("http"));
        assert_eq!(inbox::waiting(c, &source, 2)?.len(), 2);
        assert_eq!(inbox::count(c, &source)?, 3);

        assert!(inbox::remove(c, &source, &ids[0])?);
        assert!(!inbox::remove(c, &source, &ids[0])?);
        assert_eq!(inbox::count(c, &source)?, 2);
        assert_eq!(inbox::remove_all(c, &source)?, 2);
        assert_eq!(inbox::waiting(c, &source, 10)?, []);
        assert_eq!(inbox::count(c, &source_id("other"))?, 1);
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
        assert_eq!(inbox::waiting(c, &source, 1)?[0].attempts, 2);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_id_is_accepted_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let accept = |c: &mut dyn sluice_store::Conn| {
        inbox::insert(c, &source_id("s"), &item(&invocation_ids(1)[0]))
    };
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
        assert_eq!(inbox::sources_with_work(c)?, [source_id("live")]);
        Ok(())
    })
    .unwrap();
}
