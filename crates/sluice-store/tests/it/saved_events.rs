//! Events for runs by hand.

use rstest::rstest;
use sluice_model::EmitterId;
use sluice_store::{
    last_requests::{self, LastRequest},
    saved_events::{self, SavedEvent},
    sources, workflows,
};

use crate::support::{Db, TestStore, source, source_id, user_id, workflow, workflow_id};

fn saved(name: &str, event: &str, updated_at: i64) -> SavedEvent {
    SavedEvent {
        name: name.to_owned(),
        event: event.to_owned(),
        updated_at,
    }
}

#[rstest]
fn events_are_saved_by_name_for_each_emitter(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (one, other): (EmitterId, EmitterId) = (source_id("s").into(), workflow_id("w").into());
        saved_events::save(c, &one, &saved("b", "1", 1))?;
        saved_events::save(c, &one, &saved("a", "2", 2))?;
        saved_events::save(c, &other, &saved("a", "3", 3))?;
        saved_events::save(c, &one, &saved("b", "4", 4))?;
        let listed = saved_events::list(c, &one)?;
        assert_eq!(listed, [saved("a", "2", 2), saved("b", "4", 4)]);
        assert_eq!(saved_events::count_others(c, &one, "a")?, 1);
        assert_eq!(saved_events::count_others(c, &one, "new")?, 2);
        assert!(saved_events::remove(c, &one, "a")?);
        assert!(!saved_events::remove(c, &one, "a")?);
        assert_eq!(saved_events::list(c, &other)?, [saved("a", "3", 3)]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_last_request_replaces_the_one_before(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let id: EmitterId = source_id("s").into();
    t.write(move |c| {
        assert_eq!(last_requests::get(c, &id)?, None);
        last_requests::record(c, &id, "1", 1)?;
        last_requests::record(c, &id, "2", 2)?;
        let last = LastRequest {
            event: "2".to_owned(),
            at: 2,
        };
        assert_eq!(last_requests::get(c, &id)?, Some(last.clone()));
        last_requests::remove_between(c, &id, 3, 9)?;
        last_requests::remove_between(c, &id, 0, 1)?;
        assert_eq!(last_requests::get(c, &id)?, Some(last));
        last_requests::remove_between(c, &id, 2, 2)?;
        assert_eq!(last_requests::get(c, &id)?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn both_go_with_their_emitter(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        sources::insert(c, &source("s", &a, 1))?;
        workflows::insert(c, &workflow("w", &a, 1))?;
        let (one, other): (EmitterId, EmitterId) = (source_id("s").into(), workflow_id("w").into());
        last_requests::record(c, &one, "1", 1)?;
        saved_events::save(c, &one, &saved("a", "1", 1))?;
        saved_events::save(c, &other, &saved("a", "1", 1))?;
        sources::remove(c, &source_id("s"))?;
        workflows::remove(c, &a, &workflow_id("w"))?;
        assert_eq!(last_requests::get(c, &one)?, None);
        assert_eq!(saved_events::list(c, &one)?, []);
        assert_eq!(saved_events::list(c, &other)?, []);
        Ok(())
    })
    .unwrap();
}
