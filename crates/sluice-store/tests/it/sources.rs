//! Sources: their rows, their lists, and rows that are removed with them.

use rstest::rstest;
use sluice_model::{Cursor, EventId, TimerSpec};
use sluice_store::{
    Conn, Page, Result, StoreError,
    emitters::EmitterFilter,
    endpoints,
    events::{self, NewEvent},
    inbox::{self, InboxKind, NewInboxItem},
    kv,
    logs::{self, NewLog},
    query_one,
    sources::{self, Phase, Retention, Source},
    state, timers,
    uploads::{self, Upload},
};

use crate::support::{
    Db, TestStore, claim, endpoint_key, invocation_ids, prop, source, source_id, user_id,
};

#[rstest]
fn a_source_comes_back_as_it_went_to_its_user_alone(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let mine = source("s", &a, 5);
        sources::insert(c, &mine)?;
        let found = sources::get(c, &a, &mine.id)?.unwrap();
        assert_eq!(found, mine);
        let order: Vec<_> = found.configured_props.keys().collect();
        assert_eq!(order, ["zeta", "alpha"]);
        assert_eq!(sources::get(c, &b, &mine.id)?, None);
        assert_eq!(sources::get_for_run(c, &mine.id)?, Some(mine));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_source_is_seen_once_it_is_live(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let id = source_id("s");
        let page = everything();
        let new = Source {
            phase: Phase::Creating,
            ..source("s", &a, 5)
        };
        sources::insert(c, &new)?;
        assert_eq!(sources::get(c, &a, &id)?, None);
        assert_eq!(sources::list(c, &a, &EmitterFilter::default(), &page)?, []);
        assert_eq!(sources::count(c, &a, &EmitterFilter::default())?, 0);
        assert!(sources::slug_taken(c, &a, "source-s")?);
        assert_eq!(sources::get_for_run(c, &id)?, Some(new));
        assert_eq!(sources::abandoned(c, "me")?, std::slice::from_ref(&id));

        assert!(sources::set_live(c, &id)?);
        assert!(!sources::set_live(c, &source_id("x"))?);
        assert_eq!(sources::abandoned(c, "me")?, []);
        assert_eq!(sources::get(c, &a, &id)?, Some(source("s", &a, 5)));
        assert_eq!(sources::count(c, &a, &EmitterFilter::default())?, 1);
        assert_eq!(
            sources::count(c, &user_id("b"), &EmitterFilter::default())?,
            0
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn slugs_are_unique_for_each_user(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let same_slug = |tail: &str, owner: &str| Source {
        name_slug: "slug".to_owned(),
        ..source(tail, &user_id(owner), 1)
    };
    let (first, other_user, second) = (
        same_slug("s1", "a"),
        same_slug("s2", "b"),
        same_slug("s3", "a"),
    );
    t.write(move |c| {
        sources::insert(c, &first)?;
        sources::insert(c, &other_user)?;
        assert!(sources::slug_taken(c, &user_id("a"), "slug")?);
        assert!(!sources::slug_taken(c, &user_id("c"), "slug")?);
        sources::insert(c, &source("s4", &user_id("a"), 1))
    })
    .unwrap();
    let result = t.write(move |c| sources::insert(c, &second));
    assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
    let renamed = same_slug("s4", "a");
    let result = t.write(move |c| sources::update(c, &renamed));
    assert!(matches!(result, Err(StoreError::Conflict(_))), "{result:?}");
}

#[rstest]
fn an_update_saves_everything_but_the_creation(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        sources::insert(c, &source("s", &a, 5))?;
        let changed = Source {
            name: "New".to_owned(),
            name_slug: "new".to_owned(),
            component_id: crate::support::component_id("other"),
            active: false,
            configured_props: serde_json::Map::new(),
            dynamic_props: vec![prop("later")],
            retention: Retention {
                max_events: Some(7),
                max_age_seconds: Some(u32::MAX),
            },
            updated_at: 9,
            ..source("s", &a, 5)
        };
        assert!(sources::update(c, &changed)?);
        assert_eq!(sources::get(c, &a, &changed.id)?, Some(changed.clone()));
        let not_mine = Source {
            user_id: user_id("b"),
            ..changed.clone()
        };
        assert!(!sources::update(c, &not_mine)?);
        assert_eq!(sources::get(c, &a, &changed.id)?, Some(changed));
        Ok(())
    })
    .unwrap();
}

fn everything() -> Page {
    Page {
        limit: 100,
        after: None,
        before: None,
    }
}

fn cursor(at_ms: i64, tail: &str) -> Cursor {
    Cursor {
        at_ms,
        id: source_id(tail).as_str().to_owned(),
    }
}

#[rstest]
fn lists_are_newest_first_and_page_both_ways(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let a = user_id("a");
    t.write(move |c| {
        // Ids of the same instant are ordered by their bytes: upper case first.
        for (tail, at) in [("one", 1), ("b2", 2), ("A2", 2), ("a2", 2), ("three", 3)] {
            sources::insert(c, &source(tail, &a, at))?;
        }
        sources::insert(c, &source("foreign", &user_id("b"), 2))?;
        let list = |c: &mut dyn Conn, limit, after, before| -> Result<Vec<String>> {
            let page = Page {
                limit,
                after,
                before,
            };
            let found = sources::list(c, &a, &EmitterFilter::default(), &page)?;
            Ok(found
                .iter()
                .map(|s| s.id.as_str()[3..].to_owned())
                .collect())
        };
        assert_eq!(
            list(c, 100, None, None)?,
            ["three", "b2", "a2", "A2", "one"]
        );
        assert_eq!(list(c, 2, None, None)?, ["three", "b2"]);
        assert_eq!(list(c, 2, Some(cursor(2, "b2")), None)?, ["a2", "A2"]);
        assert_eq!(list(c, 2, Some(cursor(2, "A2")), None)?, ["one"]);
        assert_eq!(
            list(c, 2, Some(cursor(1, "one")), None)?,
            Vec::<String>::new()
        );
        assert_eq!(list(c, 2, None, Some(cursor(1, "one")))?, ["a2", "A2"]);
        assert_eq!(list(c, 9, None, Some(cursor(2, "a2")))?, ["three", "b2"]);
        assert_eq!(
            list(c, 9, None, Some(cursor(3, "three")))?,
            Vec::<String>::new()
        );
        assert_eq!(
            list(c, 9, Some(cursor(3, "three")), Some(cursor(2, "A2")))?,
            ["b2", "a2"]
        );
        // The row of a cursor may be gone.
        sources::remove(c, &source_id("a2"))?;
        assert_eq!(list(c, 1, Some(cursor(2, "a2")), None)?, ["A2"]);
        assert_eq!(list(c, 1, None, Some(cursor(2, "a2")))?, ["b2"]);
        Ok(())
    })
    .unwrap();
}

/// Gives a source one of everything that can belong to it.
fn furnish(c: &mut dyn Conn, tail: &str, key: char) -> Result<()> {
    let id = source_id(tail);
    let invocation = invocation_ids(1)[0];
    sources::insert(c, &source(tail, &user_id("a"), 1))?;
    endpoints::insert(c, &endpoint_key(key), &id, "http")?;
    timers::upsert(c, &id, "timer", &TimerSpec::HOURLY, Some(1))?;
    let fence = claim(c, &id, "server")?;
    state::advance(c, &id, &fence, 1, None)?;
    kv::set(c, &id, "k", "1")?;
    let item = NewInboxItem {
        id: &invocation,
        kind: InboxKind::Manual,
        prop: None,
        payload: "{}",
        accepted_at: 1,
        depth: 0,
        reply_to: None,
        trace: None,
    };
    inbox::insert(c, &id, &item)?;
    let upload = Upload {
        id: format!("upload-{tail}"),
        emitter_id: id.clone().into(),
        invocation_id: invocation,
        filename: "f".to_owned(),
        mimetype: "m".to_owned(),
        content: vec![0],
        created_at: 1,
    };
    uploads::insert(c, &upload)?;
    let event = NewEvent {
        id: EventId { ms: 1, seq: 0 },
        channel: "",
        emit_id: "e",
        meta: "{}",
        data: "1",
    };
    events::insert(c, &id, &event)?;
    let log = NewLog {
        invocation: None,
        ts: 1,
        kind: "console",
        level: "info",
        message: "m",
    };
    logs::insert(c, &id, &log)?;
    Ok(())
}

#[rstest]
fn removing_a_source_removes_all_that_is_its_own(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        furnish(c, "gone", '1')?;
        furnish(c, "stays", '2')?;
        assert!(sources::remove(c, &source_id("gone"))?);
        assert!(!sources::remove(c, &source_id("gone"))?);
        for table in [
            "endpoints",
            "timers",
            "emitter_state",
            "kv",
            "inbox",
            "uploads",
            "events",
            "logs",
        ] {
            let sql = format!("SELECT COUNT(*) FROM {table}");
            assert_eq!(query_one::<u64>(c, &sql, &[])?, 1, "{table}");
        }
        assert_eq!(
            sources::count(c, &user_id("a"), &EmitterFilter::default())?,
            1
        );
        Ok(())
    })
    .unwrap();
}
