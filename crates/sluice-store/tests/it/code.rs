//! Components.

use rstest::rstest;
use sluice_model::WorkflowId;
use sluice_store::{
    components::{self, Component},
    sources,
};

use crate::support::{Db, TestStore, component, component_id, source, user_id};

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
        assert_eq!(shape, Some(mine.shape.clone()));
        assert_eq!(components::shape_for_run(c, &component_id("x"))?, None);
        let shapes = components::shapes_for_run(c, &[component_id("x"), mine.id.clone()])?;
        assert_eq!(shapes, [(mine.id, mine.shape)].into());
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
fn the_list_has_the_newest_of_each_key_or_name_that_was_saved(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    let (a, b) = (user_id("a"), user_id("b"));
    t.write(move |c| {
        let saved = |id: &str, key: Option<&str>, name: &str, created_at| Component {
            key: key.map(str::to_owned),
            name: name.to_owned(),
            created_at,
            ..component(id, &a)
        };
        let step = Component {
            workflow_id: WorkflowId::parse("p_x"),
            ..saved("step", Some("one"), "Step", 9)
        };
        let imported = Component {
            imported: true,
            ..saved("imported", Some("one"), "Imported", 9)
        };
        for component in [
            imported,
            saved("old", Some("one"), "Same", 1),
            saved("new", Some("one"), "Other", 4),
            saved("plain1", None, "Same", 2),
            saved("plain2", None, "Same", 3),
            saved("two", Some("two"), "Same", 2),
            step,
            component("theirs", &b),
        ] {
            components::insert(c, &component)?;
        }
        let mut ids: Vec<_> = components::newest(c, &a)?
            .into_iter()
            .map(|outline| outline.id)
            .collect();
        ids.sort();
        assert_eq!(ids, ["new", "plain2", "two"].map(component_id));
        let by_key = components::newest_by_key(c, &a, "one")?;
        assert_eq!(by_key.map(|found| found.id), Some(component_id("new")));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_a_source_runs_can_be_read_by_its_owner(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let (a, b) = (user_id("a"), user_id("b"));
    t.write(move |c| {
        let theirs = component("theirs", &b);
        components::insert(c, &theirs)?;
        assert_eq!(
            components::readable(c, &b, &theirs.id)?,
            Some(theirs.clone())
        );
        assert_eq!(components::readable(c, &a, &theirs.id)?, None);
        let mine = sources::Source {
            component_id: theirs.id.clone(),
            ..source("mine", &a, 1)
        };
        sources::insert(c, &mine)?;
        assert_eq!(components::readable(c, &a, &theirs.id)?, Some(theirs));
        Ok(())
    })
    .unwrap();
}
