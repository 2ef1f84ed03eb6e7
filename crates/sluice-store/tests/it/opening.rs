//! Opening a database: locks, migrations, addresses.

use rstest::rstest;
use sluice_store::{
    Conn, Location, Result, Store, StoreError, StoreOptions, params, query_one, transfer, users,
};

use crate::support::{Db, Place, TestStore, user};

fn unusable(result: Result<Store>) -> String {
    match result.map(drop) {
        Err(StoreError::Unusable(message)) => message,
        other => panic!("expected Unusable, got {other:?}"),
    }
}

#[rstest]
fn migrations_are_applied_once(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| users::insert(c, &user("a"), "f")).unwrap();
    let versions = |t: &TestStore| -> Result<i64> {
        t.read(|c| query_one(c, "SELECT COUNT(*) FROM schema_version", &[]))
    };
    let applied = versions(&t);
    let t = t.reopen().reopen();
    assert_eq!(t.read(users::count), Ok(1));
    assert_eq!(versions(&t), applied);
}

/// As a newer program leaves the database.
fn migrated(c: &mut dyn Conn, version: i64, compatible_from: i64) -> Result<()> {
    c.execute_later(
        "INSERT INTO schema_version (version, compatible_from) VALUES (?1, ?2)",
        params![version, compatible_from],
    )
}

#[rstest]
fn a_newer_database_that_older_programs_can_use_is_opened(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let newest: i64 = query_one(c, "SELECT MAX(version) FROM schema_version", &[])?;
        migrated(c, newest + 1, newest)
    })
    .unwrap();
    let t = t.reopen();
    assert_eq!(t.read(users::count), Ok(0));
}

#[rstest]
fn a_newer_database_is_refused(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| migrated(c, 999, 999)).unwrap();
    t.store.close();
    let message = unusable(Store::open(t.place.options()));
    assert!(message.contains("999"), "{message}");
    // And it is left as it was: the refusal does not keep a lock.
    let again = unusable(Store::open(t.place.options()));
    assert_eq!(message, again);
}

#[rstest]
#[case("UPDATE schema_fingerprints SET fingerprint = 'other'")]
#[case("DROP TABLE schema_fingerprints")]
fn a_database_of_another_development_version_is_refused(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
    #[case] change: &'static str,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| c.execute(change, &[])).unwrap();
    t.store.close();
    let message = unusable(Store::open(t.place.options()));
    assert!(message.contains("another development version"), "{message}");
    let again = unusable(Store::open(t.place.options()));
    assert_eq!(message, again);
    let update = transfer::update(&t.place.location(), |_| Ok::<(), StoreError>(()));
    assert_eq!(update, Err(StoreError::Unusable(message)));
}

#[test]
fn servers_that_start_together_migrate_once() {
    let Some(place) = Place::new(Db::Postgres) else {
        return;
    };
    std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Store::open(place.options()).map(drop)))
            .collect();
        for start in starts {
            assert_eq!(start.join().unwrap(), Ok(()));
        }
    });
}

#[test]
fn a_second_server_on_the_same_file_is_refused() {
    let t = TestStore::new(Db::Sqlite).unwrap();
    let message = unusable(Store::open(t.place.options()));
    assert!(message.contains("in use by another server"), "{message}");
    let second_handle = t.store.clone();
    t.store.close();
    drop(second_handle);
    let t = t.reopen();
    assert_eq!(t.read(users::count), Ok(0));
}

#[test]
fn the_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let t = TestStore::new(Db::Sqlite).unwrap();
    t.write(|c| users::insert(c, &user("a"), "f")).unwrap();
    let Place::Folder(folder) = &t.place else {
        unreachable!()
    };
    for file in folder.path().read_dir().unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.path().display());
    }
}

#[test]
fn a_missing_folder_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("sluice.db");
    let message = unusable(Store::open(StoreOptions::new(Location::Sqlite(path))));
    assert!(message.contains("missing"), "{message}");
}

#[test]
fn a_file_that_is_no_database_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sluice.db");
    std::fs::write(
        &path,
        "not a database, but long enough to be looked at ".repeat(50),
    )
    .unwrap();
    let opened = Store::open(StoreOptions::new(Location::Sqlite(path))).map(drop);
    assert!(matches!(opened, Err(StoreError::Corrupt(_))), "{opened:?}");
}

#[test]
fn a_bad_address_is_a_clear_error() {
    let location = Location::Postgres("postgres://host/db?nonsense=1".to_owned());
    let message = unusable(Store::open(StoreOptions::new(location)));
    assert!(message.contains("bad database address"), "{message}");
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    let location = Location::Postgres("postgres://postgres@127.0.0.1:1/postgres".to_owned());
    let opened = Store::open(StoreOptions::new(location)).map(drop);
    assert!(
        matches!(opened, Err(StoreError::Unavailable(_))),
        "{opened:?}"
    );
}

#[test]
fn an_address_is_not_shown() {
    let location = Location::Postgres("postgres://me:hunter2@host/db".to_owned());
    assert!(!format!("{:?}", StoreOptions::new(location)).contains("hunter2"));
}
