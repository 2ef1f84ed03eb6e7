//! Components and the registry.

use rstest::rstest;
use sluice_store::{
    components::{self, Component},
    registry,
};

use crate::support::{Db, TestStore, component, component_id, user_id};

#[rstest]
fn components_belong_to_their_user(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let (a, b) = (user_id("a"), user_id("b"));
    t.write(move |c| {
        let mine = Component {
            url: Some("https://example.com/x.js".to_owned()),
            ..component("mine", &a)
        };
        components::insert(c, &mine)?;
        assert_eq!(components::get(c, &a, &mine.id)?, Some(mine.clone()));
        assert_eq!(components::get(c, &b, &mine.id)?, None);
        assert_eq!(components::get_for_run(c, &mine.id)?, Some(mine.clone()));
        let shape = components::shape_for_run(c, &mine.id)?;
        assert_eq!(shape, Some(mine.shape));
        assert_eq!(components::shape_for_run(c, &component_id("x"))?, None);
        assert_eq!(components::get_for_run(c, &component_id("x"))?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_newest_component_of_a_key_wins(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let (a, b) = (user_id("a"), user_id("b"));
    t.write(move |c| {
        for (id, created_at) in [("old", 1), ("new", 3), ("mid", 2)] {
            let saved = Component {
                created_at,
                ..component(id, &a)
            };
            components::insert(c, &saved)?;
        }
        let keyless = Component {
            key: None,
            created_at: 9,
            ..component("keyless", &a)
        };
        components::insert(c, &keyless)?;
        let newest = components::newest_by_key(c, &a, "key")?.map(|found| found.id);
        assert_eq!(newest, Some(component_id("new")));
        assert_eq!(components::newest_by_key(c, &a, "other")?, None);
        assert_eq!(components::newest_by_key(c, &b, "key")?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_registry_holds_what_was_published_last(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let first = component("first", &user_id("a"));
        let second = component("second", &user_id("a"));
        components::insert(c, &first)?;
        components::insert(c, &second)?;
        assert_eq!(registry::by_key(c, "key")?, None);
        assert_eq!(registry::by_id(c, &first.id)?, None);
        registry::publish(c, "key", &first.id, 1)?;
        assert_eq!(registry::by_key(c, "key")?, Some(first.clone()));
        assert_eq!(registry::by_id(c, &first.id)?, Some(first));
        registry::publish(c, "key", &second.id, 2)?;
        assert_eq!(registry::by_key(c, "key")?, Some(second));
        Ok(())
    })
    .unwrap();
}
