//! Results of imports of component trees.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::CodeError;
use sluice_store::{
    imports::{self, Import, RegisteredVersion},
    registry::{self, Shelf},
};

use crate::support::{Db, TestStore, user_id};

fn import(tree: &str, path: &str) -> Import {
    Import {
        tree: tree.to_owned(),
        path: path.to_owned(),
        files: BTreeMap::from([
            (path.to_owned(), "hash".to_owned()),
            ("common.mjs".to_owned(), String::new()),
        ]),
        registered: Some(RegisteredVersion {
            key: "key".to_owned(),
            version: "1.0.0".to_owned(),
        }),
        errors: Vec::new(),
    }
}

#[rstest]
fn an_import_remembers_each_file_of_its_tree(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let paths = ["a/Z.mjs", "a/a.mjs", "b/ä.mjs"];
        for path in paths.iter().rev() {
            imports::record(c, &import("tree", path))?;
        }
        imports::record(c, &import("other", "b"))?;
        assert_eq!(imports::count(c, "tree")?, 3);
        assert_eq!(imports::count(c, "none")?, 0);
        let first = imports::list(c, "tree", "", 2)?;
        let expected = [import("tree", paths[0]), import("tree", paths[1])];
        assert_eq!(first, expected);
        let rest = imports::list(c, "tree", paths[1], 2)?;
        assert_eq!(rest, [import("tree", paths[2])]);
        assert!(imports::forget(c, "tree", paths[2])?);
        assert!(!imports::forget(c, "tree", paths[2])?);
        assert_eq!(imports::count(c, "tree")?, 2);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_key_is_that_of_one_file_of_its_tree(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        imports::record(c, &import("tree", "a.mjs"))?;
        let path = imports::path_of_key(c, "tree", "key")?;
        assert_eq!(path.as_deref(), Some("a.mjs"));
        assert_eq!(imports::path_of_key(c, "tree", "other")?, None);
        assert_eq!(imports::path_of_key(c, "other", "key")?, None);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_failed_import_still_knows_what_was_registered_before(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let failed = Import {
            files: BTreeMap::new(),
            registered: None,
            errors: vec![CodeError {
                line: Some(3),
                ..CodeError::without_position("Unexpected token")
            }],
            ..import("tree", "a")
        };
        imports::record(c, &failed)?;
        assert_eq!(
            imports::list(c, "tree", "", 9)?,
            std::slice::from_ref(&failed)
        );
        imports::record(c, &import("tree", "a"))?;
        assert_eq!(imports::list(c, "tree", "", 9)?, [import("tree", "a")]);
        imports::record(c, &failed)?;
        let both = Import {
            registered: import("tree", "a").registered,
            ..failed
        };
        assert_eq!(imports::list(c, "tree", "", 9)?, [both]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn unpublishing_makes_the_next_import_register_again(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        imports::record(c, &import("tree", "a"))?;
        registry::unpublish(c, &Shelf::Account(user_id("a")), "key")?;
        assert_eq!(imports::count(c, "tree")?, 1);
        registry::unpublish(c, &Shelf::Server, "key")?;
        assert_eq!(imports::count(c, "tree")?, 0);
        Ok(())
    })
    .unwrap();
}
