//! Published components, of users and of imports.

use rstest::rstest;
use sluice_model::{CodeFiles, ModuleFormat};
use sluice_store::{
    Conn, Result,
    components::{self, Component, Packages, StoredLock},
    registry::{self, Publication, Registration, Shelf},
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
    let publication = publication(&Shelf::Server, component);
    registry::register(c, component, &publication, None)
}

fn newest(c: &mut dyn Conn, shelf: &Shelf) -> Result<Option<String>> {
    let newest = registry::newest(c, shelf, "key")?;
    let listed = registry::entries(c, shelf)?;
    assert_eq!(
        listed.into_iter().map(|entry| entry.component_id).next(),
        newest.as_ref().map(|component| component.id.clone())
    );
    Ok(newest.map(|component| component.version))
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
        assert_eq!(registry::entries(c, &shelf)?.len(), 1);
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

#[rstest]
fn words_are_found_by_their_beginnings_in_every_text(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        for (tail, key, name, description) in [
            (
                "a",
                "slack_v2-new-message",
                "New Message",
                Some("Emits when it's posted: 日本語"),
            ),
            ("b", "github-new-issue", "New Issue (Instant)", None),
        ] {
            let component = version_of(tail, "1.0.0");
            components::insert(c, &component)?;
            let publication = Publication {
                key: key.to_owned(),
                name: name.to_owned(),
                description: description.map(str::to_owned),
                app: key.split('-').next().map(str::to_owned),
                ..publication(&Shelf::Server, &component)
            };
            assert!(registry::publish(c, &publication)?);
        }
        for (query, expected) in [
            ("new", "ab"),
            ("NEW mess", "a"),
            ("v2", "a"),
            ("日本", "a"),
            ("instant github", "b"),
            ("ithub", ""),
            ("new nothing", ""),
            ("it", "a"),
        ] {
            assert_eq!(found(c, query)?, expected, "{query}");
        }
        // Characters with a meaning in queries of either database.
        for query in ["\"", "'", "new* OR", "a:b", "!new", "NEAR(", "\\", "-"] {
            found(c, query)?;
        }
        assert!(registry::unpublish(c, &Shelf::Server, "github-new-issue")?);
        assert_eq!(found(c, "new")?, "a");
        assert!(registry::matching(c, &[])?.is_empty());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn every_change_of_a_shelf_is_counted(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    let generation = || t.read(|c| registry::generation(c, &Shelf::Server)).unwrap();
    assert_eq!(generation(), 0);
    t.write(|c| publish(c, &Shelf::Server, "a", "1.0.0"))
        .unwrap();
    assert_eq!(generation(), 1);
    let mine = Shelf::Account(user_id("a"));
    t.write(move |c| publish(c, &mine, "b", "1.0.0")).unwrap();
    assert_eq!(generation(), 1);
    t.write(|c| registry::unpublish(c, &Shelf::Server, "key"))
        .unwrap();
    assert_eq!(generation(), 2);
}

/// The tails of the newest components that match, sorted.
fn found(c: &mut dyn Conn, query: &str) -> Result<String> {
    let words: Vec<String> = registry::words_of(query).collect();
    let ids = registry::matching(c, &words)?;
    let mut entries = registry::entries(c, &Shelf::Server)?;
    entries.retain(|entry| ids.contains(&entry.id));
    let tails = entries.iter().map(|entry| {
        let id = entry.component_id.as_str();
        id.trim_start_matches("sc_")
    });
    let mut found: Vec<&str> = tails.collect();
    found.sort_unstable();
    Ok(found.concat())
}
