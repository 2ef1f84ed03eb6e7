//! Results of imports of component trees.

use std::collections::BTreeMap;

use rstest::rstest;
use sluice_model::{CodeError, ComponentFailure, FailureReason};
use sluice_store::{
    imported_files::{self, ImportedFile, RegisteredVersion},
    registry::{self, Shelf},
};

use crate::support::{Db, TestStore, user_id};

fn import(tree: &str, path: &str) -> ImportedFile {
    ImportedFile {
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
        failure: None,
    }
}

#[rstest]
fn an_import_remembers_each_file_of_its_tree(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let paths = ["a/Z.mjs", "a/a.mjs", "b/ä.mjs"];
        for path in paths.iter().rev() {
            imported_files::record(c, &import("tree", path))?;
        }
        imported_files::record(c, &import("other", "b"))?;
        assert_eq!(imported_files::count(c, "tree")?, 3);
        assert_eq!(imported_files::count(c, "none")?, 0);
        let first = imported_files::list(c, "tree", "", 2)?;
        let expected = [import("tree", paths[0]), import("tree", paths[1])];
        assert_eq!(first, expected);
        let rest = imported_files::list(c, "tree", paths[1], 2)?;
        assert_eq!(rest, [import("tree", paths[2])]);
        assert!(imported_files::forget(c, "tree", paths[2])?);
        assert!(!imported_files::forget(c, "tree", paths[2])?);
        assert_eq!(imported_files::count(c, "tree")?, 2);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_key_is_that_of_one_file_of_its_tree(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        imported_files::record(c, &import("tree", "a.mjs"))?;
        let path = imported_files::path_of_key(c, "tree", "key")?;
        assert_eq!(path.as_deref(), Some("a.mjs"));
        assert_eq!(imported_files::path_of_key(c, "tree", "other")?, None);
        assert_eq!(imported_files::path_of_key(c, "other", "key")?, None);
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
        let failed = ImportedFile {
            files: BTreeMap::new(),
            registered: None,
            failure: Some(ComponentFailure::new(
                FailureReason::Code,
                vec![CodeError {
                    line: Some(3),
                    ..CodeError::without_position("Unexpected token")
                }],
            )),
            ..import("tree", "a")
        };
        imported_files::record(c, &failed)?;
        assert_eq!(
            imported_files::list(c, "tree", "", 9)?,
            std::slice::from_ref(&failed)
        );
        imported_files::record(c, &import("tree", "a"))?;
        assert_eq!(
            imported_files::list(c, "tree", "", 9)?,
            [import("tree", "a")]
        );
        imported_files::record(c, &failed)?;
        let both = ImportedFile {
            registered: import("tree", "a").registered,
            ..failed
        };
        assert_eq!(imported_files::list(c, "tree", "", 9)?, [both]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn unpublishing_makes_the_next_import_register_again(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        imported_files::record(c, &import("tree", "a"))?;
        registry::unpublish(c, &Shelf::Account(user_id("a")), "key")?;
        assert_eq!(imported_files::count(c, "tree")?, 1);
        registry::unpublish(c, &Shelf::Server, "key")?;
        assert_eq!(imported_files::count(c, "tree")?, 0);
        Ok(())
    })
    .unwrap();
}
