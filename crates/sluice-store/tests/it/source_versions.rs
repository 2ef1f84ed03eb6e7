//! Versions of sources.

use rstest::rstest;
use serde_json::{Map, json};
use sluice_store::{
    StoreError,
    audit::Credential,
    source_versions::{self, KEPT, VersionOrigin},
    sources::{self, Source},
};

use crate::support::{Db, TestStore, component_id, prop, source, source_id, user_id};

fn by(author: &str, restored: Option<u32>) -> VersionOrigin {
    VersionOrigin {
        author: author.to_owned(),
        credential: Credential::Session,
        restored,
    }
}

fn numbered(number: u32) -> Source {
    Source {
        version: number,
        component_id: component_id(&format!("c{number}")),
        configured_props: Map::from_iter([("n".to_owned(), json!(number))]),
        dynamic_props: vec![prop("n")],
        ..source("s", &user_id("a"), 1)
    }
}

#[rstest]
fn a_version_comes_back_as_it_was_stored(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let first = numbered(1);
        sources::insert(c, &first)?;
        source_versions::insert(c, &first, &by("alice", None), 5)?;
        source_versions::insert(c, &numbered(2), &by("bob", Some(1)), 6)?;
        source_versions::insert(c, &source("other", &user_id("a"), 1), &by("eve", None), 7)?;
        let listed = source_versions::list(c, &first.id)?;
        let numbers: Vec<u32> = listed.iter().map(|version| version.number).collect();
        assert_eq!(numbers, [2, 1]);
        assert_eq!(listed[0].origin, by("bob", Some(1)));
        assert_eq!(
            (listed[1].created_at, &listed[1].origin),
            (5, &by("alice", None))
        );
        let whole = source_versions::by_number(c, &first.id, 1)?.expect("a version");
        assert_eq!(whole.version, listed[1]);
        assert_eq!(whole.version.component_id, first.component_id);
        assert_eq!(whole.configured_props, first.configured_props);
        assert_eq!(whole.dynamic_props, first.dynamic_props);
        assert_eq!(source_versions::by_number(c, &first.id, 3)?, None);
        Ok(())
    })
    .unwrap();
    let again = t.write(|c| source_versions::insert(c, &numbered(2), &by("bob", None), 8));
    assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
}

#[rstest]
fn the_newest_versions_stay_and_all_go_with_their_source(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        sources::insert(c, &numbered(1))?;
        for number in 1..=KEPT + 2 {
            source_versions::insert(c, &numbered(number), &by("alice", None), 1)?;
        }
        let listed = source_versions::list(c, &source_id("s"))?;
        assert_eq!(listed.len(), KEPT as usize);
        assert_eq!(listed.last().map(|oldest| oldest.number), Some(3));
        sources::remove(c, &source_id("s"))?;
        assert_eq!(source_versions::list(c, &source_id("s"))?, []);
        Ok(())
    })
    .unwrap();
}
