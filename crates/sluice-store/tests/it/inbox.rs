//! Accepted work.

use std::collections::HashSet;

use rstest::rstest;
use sluice_model::{EmitterId, InvocationId, SourceId};
use sluice_store::{
    BatchLimit, Conn, Result, StoreError,
    inbox::{self, InboxItem, InboxKind, InboxPage, NewInboxItem, PageRequest},
    nodes::{self, NewNode},
    sources::{self, Phase, Source},
    workflows,
};

use crate::support::{
    Db, TestStore, claim, invocation_ids, source, source_id, user_id, workflow, workflow_id,
};

fn item(id: &InvocationId) -> NewInboxItem<'_> {
    NewInboxItem {
        id,
        kind: InboxKind::Http,
        prop: Some("http"),
        payload: "{\"body\":1}",
        accepted_at: 4,
        depth: 0,
        reply_to: None,
        trace: None,
    }
}

/// The first `rows` items, for a reader that knows none.
fn waiting(c: &mut dyn Conn, source: &SourceId, rows: u32) -> Vec<InboxItem> {
    let request = PageRequest {
        known: &HashSet::new(),
        limit: BatchLimit {
            rows,
            bytes: u64::MAX,
        },
    };
    inbox::waiting(c, source, &request).unwrap().items
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
        inbox::insert(c, &source, &manual)?;
        inbox::insert(c, &source, &item(&ids[1]))?;
        inbox::insert(c, &source_id("other"), &item(&ids[0]))?;
        inbox::insert(c, &source, &item(&ids[2]))?;

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
            reply_to: None,
            trace: None,
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

/// The clocks of servers differ, and so do their ids: the order is that of the database.
#[test]
fn work_from_several_servers_waits_in_the_order_in_which_it_was_stored() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let ids = invocation_ids(3);
    let stored = [ids[2], ids[0], ids[1]];
    for id in stored {
        t.write(move |c| inbox::insert(c, &source_id("s"), &item(&id)))
            .unwrap();
    }
    t.read(move |c| {
        let waiting = waiting(c, &source_id("s"), 10);
        let order: Vec<_> = waiting.iter().map(|item| item.id).collect();
        assert_eq!(order, stored);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_node_finds_its_own_work_and_that_of_dead_nodes(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = invocation_ids(2);
        let user = user_id("a");
        for name in ["dead", "free", "idle", "mine", "off", "theirs"] {
            let mut source = source(name, &user, 1);
            source.active = name != "off";
            sources::insert(c, &source)?;
            if name != "idle" {
                inbox::insert(c, &source.id, &item(&ids[0]))?;
                inbox::insert(c, &source.id, &item(&ids[1]))?;
            }
        }
        workflows::insert(c, &workflow("w", &user, 1))?;
        inbox::insert(c, &workflow_id("w"), &item(&ids[0]))?;
        for (node, source) in [("me", "mine"), ("me", "idle"), ("other", "theirs")] {
            claim(c, &source_id(source), node)?;
        }
        claim(c, &source_id("dead"), "unknown")?;
        for incarnation in ["me", "other"] {
            nodes::join(
                c,
                &NewNode {
                    incarnation: incarnation.to_owned(),
                    name: "host".to_owned(),
                    address: None,
                    public_url: "url".to_owned(),
                    version: "1".to_owned(),
                    protocol: 1,
                },
                false,
            )?;
        }
        let found = inbox::backlogs(c, "me", true)?;
        let found: Vec<_> = found
            .iter()
            .map(|backlog| (backlog.emitter_id.as_str(), backlog.newest))
            .collect();
        let expected = [
            ("dc_dead", ids[1]),
            ("dc_free", ids[1]),
            ("dc_mine", ids[1]),
            ("p_w", ids[0]),
        ];
        assert_eq!(found, expected);
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
fn a_page_is_bounded_in_rows_and_bytes(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let source = source_id("s");
        let ids = invocation_ids(4);
        // Two characters, four bytes: the limit counts bytes.
        let payload = "éé";
        for id in &ids {
            let item = NewInboxItem {
                payload,
                ..item(id)
            };
            inbox::insert(c, &source, &item)?;
        }
        let mut read = |known: &[InvocationId], rows, bytes| {
            let request = PageRequest {
                known: &known.iter().copied().collect(),
                limit: BatchLimit { rows, bytes },
            };
            let InboxPage { items, complete } = inbox::waiting(c, &source, &request)?;
            let read: Vec<_> = items.iter().map(|item| item.id).collect();
            Result::Ok((read, complete))
        };
        assert_eq!(read(&[], 9, 100)?, (ids.clone(), true));
        assert_eq!(read(&[], 4, 16)?, (ids.clone(), true));
        assert_eq!(read(&[], 3, 100)?, (ids[..3].to_vec(), false));
        assert_eq!(read(&[], 9, 8)?, (ids[..2].to_vec(), false));
        assert_eq!(read(&[], 9, 1)?, (ids[..1].to_vec(), false));
        assert_eq!(read(&ids[..1], 2, 100)?, (ids[1..3].to_vec(), false));
        assert_eq!(read(&ids[..1], 9, 100)?, (ids[1..].to_vec(), true));
        assert_eq!(
            read(&ids[1..3], 9, 100)?,
            (vec![ids[0], ids[3]], true),
            "known items may lie between others"
        );
        assert_eq!(read(&ids[..3], 9, 1)?, (ids[3..].to_vec(), true));
        assert_eq!(read(&ids, 9, 100)?, (Vec::new(), true));
        Ok(())
    })
    .unwrap();
}

/// Inserts items with payloads of these lengths.
fn insert_sizes(c: &mut dyn Conn, sizes: &[usize], kind: InboxKind) -> Result<Vec<InvocationId>> {
    let ids = invocation_ids(sizes.len());
    for (id, size) in ids.iter().zip(sizes) {
        let item = NewInboxItem {
            payload: &"x".repeat(*size),
            kind,
            ..item(id)
        };
        inbox::insert(c, &source_id("s"), &item)?;
    }
    Ok(ids)
}

#[rstest]
fn large_payloads_make_small_pages(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    const MIB: usize = 1024 * 1024;
    let Some(t) = TestStore::new(db) else { return };
    let limit = BatchLimit {
        rows: 9,
        bytes: 4 * MIB as u64,
    };
    t.write(move |c| {
        let ids = insert_sizes(c, &[6 * MIB, MIB, 3 * MIB, 1, 10 * MIB, 2], InboxKind::Http)?;
        let mut known = HashSet::new();
        for expected in [&ids[..1], &ids[1..3], &ids[3..4], &ids[4..5], &ids[5..]] {
            let request = PageRequest {
                known: &known,
                limit,
            };
            let page = inbox::waiting(c, &source_id("s"), &request)?;
            let read: Vec<_> = page.items.iter().map(|item| item.id).collect();
            assert_eq!(read, expected);
            assert_eq!(page.complete, expected.last() == ids.last());
            known.extend(read);
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn overflow_is_bounded_in_rows_and_bytes(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let ids = insert_sizes(c, &[1, 1, 9_000, 1, 1, 1], InboxKind::Event)?;
        let mut beyond = |keep, rows, bytes| {
            let limit = BatchLimit { rows, bytes };
            let items = inbox::beyond(c, &source_id("s"), keep, limit)?;
            Result::Ok(items.iter().map(|item| item.id).collect::<Vec<_>>())
        };
        assert_eq!(beyond(1, 9, 10_000)?, ids[1..]);
        assert_eq!(beyond(1, 2, 10_000)?, ids[1..3]);
        assert_eq!(beyond(1, 9, 9_000)?, ids[1..2]);
        assert_eq!(beyond(2, 9, 1)?, ids[2..3], "one is always read");
        assert_eq!(beyond(3, 9, 2)?, ids[3..5]);
        assert_eq!(beyond(6, 9, 10_000)?, []);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn runs_that_go_on_do_not_count_as_overflow(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        insert_sizes(c, &[1, 1], InboxKind::Continued)?;
        let limit = BatchLimit {
            rows: 9,
            bytes: 100,
        };
        assert_eq!(inbox::beyond(c, &source_id("s"), 0, limit)?, []);
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
