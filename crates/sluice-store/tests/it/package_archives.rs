//! Archives of packages, and the locks that are in use.

use rstest::rstest;
use sluice_model::DeploymentId;
use sluice_store::{
    Conn, Result,
    components::{self, Component, Packages, StoredLock},
    lock_uses,
    package_archives::{self, ArchivedLock},
    params, sources, workflows,
};

use crate::support::{Db, TestStore, component, component_id, source, user_id, workflow};

fn stored(c: &mut dyn Conn, lock: &str) -> Result<Vec<u8>> {
    let header = package_archives::header(c, lock)?.expect("an archive");
    let mut archive = Vec::new();
    for position in 0..header.chunks() {
        archive.extend(package_archives::chunk(c, lock, position)?.expect("a chunk"));
    }
    assert!(header.matches(&archive));
    Ok(archive)
}

/// Bytes that differ from chunk to chunk.
fn bytes(count: usize) -> Vec<u8> {
    (0..251).cycle().take(count).collect()
}

#[rstest]
fn an_archive_is_read_in_chunks(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (large, small) = (bytes(2_500_000), bytes(10));
        assert!(package_archives::insert(c, "large", &large, 7)?);
        assert!(package_archives::insert(c, "small", &small, 8)?);
        let header = package_archives::header(c, "large")?.expect("an archive");
        assert_eq!((header.bytes, header.chunks()), (2_500_000, 3));
        assert_eq!(stored(c, "large")?, large);
        assert_eq!(stored(c, "small")?, small);
        assert_eq!(package_archives::chunk(c, "large", 3)?, None);
        let archived = |hash: &str, created_at| ArchivedLock {
            hash: hash.to_owned(),
            created_at,
        };
        let list = package_archives::list(c)?;
        assert_eq!(list, [archived("large", 7), archived("small", 8)]);

        package_archives::remove(c, "large")?;
        assert_eq!(package_archives::header(c, "large")?, None);
        assert_eq!(package_archives::chunk(c, "large", 0)?, None);
        assert_eq!(stored(c, "small")?, small);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_first_archive_of_a_lock_stays(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        assert!(package_archives::insert(c, "lock", b"first", 1)?);
        assert!(!package_archives::insert(c, "lock", b"the second one", 2)?);
        assert_eq!(stored(c, "lock")?, b"first");
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn other_bytes_do_not_match_the_checksum(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        package_archives::insert(c, "lock", b"right", 1)?;
        let header = package_archives::header(c, "lock")?.expect("an archive");
        assert!(header.matches(b"right"));
        for other in [&b"wrong"[..], b"righ", b"right!", b""] {
            assert!(!header.matches(other));
        }
        let change = "UPDATE package_archive_chunks SET content = ?1";
        c.execute(change, params![&b"wrong"[..]])?;
        let changed = package_archives::chunk(c, "lock", 0)?.expect("a chunk");
        assert!(!header.matches(&changed));
        Ok(())
    })
    .unwrap();
}

fn locked(id: &str, hash: &str) -> Component {
    Component {
        packages: Packages::Resolved(Some(StoredLock {
            hash: hash.to_owned(),
            text: format!("the lock {hash}"),
        })),
        ..component(id, &user_id("a"))
    }
}

fn sorted(mut hashes: Vec<String>) -> Vec<String> {
    hashes.sort();
    hashes
}

#[rstest]
fn locks_are_found_by_those_that_use_them(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let user = user_id("a");
    t.write(move |c| {
        let without = component("none", &user);
        let (one, same) = (locked("one", "h1"), locked("same", "h1"));
        let (two, three) = (locked("two", "h2"), locked("three", "h3"));
        for component in [&without, &one, &same, &two, &three] {
            components::insert(c, component)?;
        }
        let read = components::get(c, &user, &one.id)?;
        assert_eq!(read.map(|read| read.packages), Some(one.packages.clone()));
        for (id, component, active) in [
            ("s0", &without, true),
            ("s1", &one, true),
            ("s2", &same, true),
            ("s3", &two, false),
        ] {
            let mut source = source(id, &user, 1_000);
            source.component_id = component.id.clone();
            source.active = active;
            sources::insert(c, &source)?;
        }
        assert_eq!(lock_uses::of_active_sources(c)?, ["h1"]);
        assert_eq!(sorted(lock_uses::all(c)?), ["h1", "h2", "h3"]);
        assert_eq!(sorted(lock_uses::of_user(c, &user)?), ["h1", "h2", "h3"]);
        assert!(lock_uses::of_user(c, &user_id("b"))?.is_empty());
        let ids = ["none", "two", "three", "missing"].map(component_id);
        assert_eq!(sorted(lock_uses::of_components(c, &ids)?), ["h2", "h3"]);
        assert_eq!(lock_uses::text(c, "h2")?.as_deref(), Some("the lock h2"));
        assert_eq!(lock_uses::text(c, "h9")?, None);
        Ok(())
    })
    .unwrap();
}

fn version(tail: &str) -> DeploymentId {
    DeploymentId::parse(&format!("d_{tail}")).expect("an id")
}

#[rstest]
fn the_versions_of_active_workflows_are_found(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (tail, active) in [("on", true), ("off", false)] {
            let mut workflow = workflow(tail, &user_id("a"), 1_000);
            workflow.active = active;
            workflow.deployment_id = version(tail);
            workflows::insert(c, &workflow)?;
        }
        assert_eq!(lock_uses::active_versions(c)?, [version("on")]);
        Ok(())
    })
    .unwrap();
}
