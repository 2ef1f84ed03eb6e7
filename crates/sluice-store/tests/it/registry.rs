//! Published components, of users and of imports.

use rstest::rstest;
use sluice_model::{CodeFiles, ModuleFormat};
use sluice_store::{
    Conn, Result,
    components::{self, Component, Packages, StoredLock},
    registry::{self, Registration, Shelf},
};

use crate::support::{
    Db, TestStore, Work, component, component_id, publication, user_id, write_together,
};

fn version_of(tail: &str, version: &str) -> Component {
    Component {
        version: version.to_owned(),
        ..component(tail, &user_id("a"))
    }
}

fn publish(c: &mut dyn Conn, shelf: &Shelf, tail: &str, version: &str) -> Result<bool> {
    let component = version_of(tail, version);
    components::insert(c, &component)?;
    registry::publish(c, &publication(shelf, &component))
}

/// As an import makes it.
fn imported(tail: &str, version: &str, code: &str) -> Component {
    Component {
        code: CodeFiles::single(code, ModuleFormat::CommonJs),
        packages: Packages::Unresolved,
        imported: true,
        ..version_of(tail, version)
    }
}

fn register(c: &mut dyn Conn, component: &Component) -> Result<Registration> {
    registry::register(c, component, &publication(&Shelf::Server, component))
}

fn newest(c: &mut dyn Conn, shelf: &Shelf) -> Result<Option<String>> {
    let newest = registry::newest(c, shelf, "key")?;
    let listed = registry::list(c, shelf)?;
    let found = newest.map(|component| component.version);
    assert_eq!(
        listed.into_iter().map(|row| row.version).next(),
        found.clone()
    );
    Ok(found)
}

#[rstest]
fn the_highest_version_of_a_key_is_its_newest_whenever_it_was_published(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let shelf = Shelf::Server;
        assert_eq!(newest(c, &shelf)?, None);
        for (version, expected) in [
            ("1.9.0", "1.9.0"),
            ("1.10.0-beta", "1.10.0-beta"),
            ("1.2.0", "1.10.0-beta"),
            ("1.10.0", "1.10.0"),
            ("1.10.0-rc", "1.10.0"),
        ] {
            let tail: String = version.chars().filter(|c| c.is_alphanumeric()).collect();
            assert!(publish(c, &shelf, &tail, version)?);
            assert_eq!(newest(c, &shelf)?.as_deref(), Some(expected));
        }
        assert_eq!(registry::list(c, &shelf)?.len(), 1);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_version_is_published_once_on_each_shelf(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (mine, theirs) = (Shelf::Account(user_id("a")), Shelf::Account(user_id("b")));
        assert!(publish(c, &mine, "a", "1.0.0")?);
        assert!(!publish(c, &mine, "b", "1.0.0")?);
        let found = registry::newest(c, &mine, "key")?.map(|found| found.id);
        assert_eq!(found, Some(component_id("a")));
        assert_eq!(newest(c, &theirs)?, None);
        assert_eq!(newest(c, &Shelf::Server)?, None);
        assert!(publish(c, &theirs, "c", "1.0.0")?);
        assert!(publish(c, &Shelf::Server, "d", "1.0.0")?);
        for (id, is_public) in [("a", false), ("b", false), ("c", false), ("d", true)] {
            let found = registry::by_id(c, &component_id(id))?;
            assert_eq!(found.is_some(), is_public, "{id}");
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn what_is_published_together_has_one_newest(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let works = (0..8).map(|minor| -> Work {
        Box::new(move |c| {
            let (tail, version) = (format!("v{minor}"), format!("1.{minor}.0"));
            publish(c, &Shelf::Server, &tail, &version).map(drop)
        })
    });
    for result in write_together(&t, works.collect()) {
        result.unwrap();
    }
    let found = t.read(|c| newest(c, &Shelf::Server)).unwrap();
    assert_eq!(found.as_deref(), Some("1.7.0"));
}

#[rstest]
fn unpublishing_takes_every_version_and_keeps_the_components(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (mine, server) = (Shelf::Account(user_id("a")), Shelf::Server);
        publish(c, &mine, "a", "1.0.0")?;
        publish(c, &mine, "b", "1.1.0")?;
        publish(c, &server, "c", "1.0.0")?;
        assert!(!registry::unpublish(c, &mine, "other")?);
        assert!(registry::unpublish(c, &mine, "key")?);
        assert!(!registry::unpublish(c, &mine, "key")?);
        assert_eq!(newest(c, &mine)?, None);
        assert_eq!(newest(c, &server)?.as_deref(), Some("1.0.0"));
        assert!(components::get_for_run(c, &component_id("a"))?.is_some());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn registering_tells_new_from_updated_and_unchanged(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (tail, version, code, expected) in [
            ("a", "1.0.0", "one", Registration::New),
            ("b", "1.0.0", "one", Registration::Unchanged),
            ("c", "1.0.0", "two", Registration::Updated),
            ("d", "1.1.0", "two", Registration::Updated),
        ] {
            let component = imported(tail, version, code);
            assert_eq!(register(c, &component)?, expected, "{tail}");
        }
        assert_eq!(newest(c, &Shelf::Server)?.as_deref(), Some("1.1.0"));
        // A component that was replaced before its first use is gone.
        for (id, is_there) in [("a", false), ("b", false), ("c", true), ("d", true)] {
            let found = components::get_for_run(c, &component_id(id))?;
            assert_eq!(found.is_some(), is_there, "{id}");
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn an_imported_component_is_resolved_once_and_then_stays(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let first = imported("a", "1.0.0", "one");
        register(c, &first)?;
        let found = registry::newest(c, &Shelf::Server, "key")?.unwrap();
        assert_eq!(found, first);
        let mut shape = first.shape.clone();
        shape.description = Some("Read with its packages".to_owned());
        let lock = StoredLock {
            hash: "hash".to_owned(),
            text: "{}".to_owned(),
        };
        assert!(components::resolve(c, &first.id, Some(&lock), &shape, 9)?);
        assert!(!components::resolve(c, &first.id, None, &first.shape, 9)?);
        let unknown = component_id("x");
        assert!(!components::resolve(c, &unknown, None, &shape, 9)?);
        let resolved = Component {
            packages: Packages::Resolved(Some(lock)),
            shape,
            updated_at: 9,
            ..first.clone()
        };
        register(c, &imported("b", "1.0.0", "two"))?;
        let kept = components::get_for_run(c, &first.id)?;
        assert_eq!(kept, Some(resolved));
        assert!(registry::unpublish(c, &Shelf::Server, "key")?);
        assert_eq!(components::get_for_run(c, &component_id("b"))?, None);
        assert!(components::get_for_run(c, &first.id)?.is_some());
        Ok(())
    })
    .unwrap();
}
