//! Components.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::{CodeFile, CodeFiles, Edit, FileLink, ModuleFormat, WorkflowId};
use sluice_store::{
    code_files,
    components::{self, Component},
    sources, users,
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

/// A component of two files.
fn of_two_files(tail: &str, text: &str) -> Component {
    let file = |location: &str, text: &str| CodeFile {
        link: FileLink {
            location: location.to_owned(),
            path: format!("{location}.cjs"),
            edits: vec![Edit {
                start: 0,
                end: 1,
                text: "x".to_owned(),
            }],
            packages: BTreeMap::from([("axios".to_owned(), "^0.21.1".to_owned())]),
        },
        text: text.into(),
    };
    let code = CodeFiles {
        entry: file("a.js", "require('./b')"),
        others: vec![file("b.js", text), file("c.js", "shared")],
    };
    Component {
        code,
        ..component(tail, &user_id("a"))
    }
}

#[rstest]
fn a_text_is_kept_while_a_component_has_it(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let owner = user_id("a");
        let first = of_two_files("a", "one");
        let second = Component {
            user_id: user_id("b"),
            ..of_two_files("b", "two")
        };
        components::insert(c, &first)?;
        components::insert(c, &second)?;
        assert_eq!(components::get(c, &owner, &first.id)?, Some(first.clone()));
        assert_eq!(code_files::remove_unused(c, i64::MAX, 10)?, 0);

        // Its component is gone, and the text that both had stays.
        users::remove(c, &user_id("b"))?;
        assert_eq!(code_files::remove_unused(c, first.created_at, 10)?, 0);
        assert_eq!(code_files::remove_unused(c, i64::MAX, 10)?, 1);
        assert_eq!(components::get(c, &owner, &first.id)?, Some(first));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn javascript_in_one_file_has_no_other_files(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let single = Component {
            code: CodeFiles::single("module.exports = 1", ModuleFormat::CommonJs),
            ..component("a", &user_id("a"))
        };
        components::insert(c, &single)?;
        assert_eq!(components::get_for_run(c, &single.id)?, Some(single));
        Ok(())
    })
    .unwrap();
}
