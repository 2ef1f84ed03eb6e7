//! Moves between the databases keep every row.

use postgres::{Client, NoTls};
use sluice_backup::{Manifest, migrate};
use sluice_store::{Location, Store, StoreOptions, registry::matching, transfer::while_unused};

use crate::{
    rows::{ROWS, add_everywhere},
    support::{
        backup, header, manifest, passphrase, postgres, restore, skips_postgres, sqlite,
        with_schema,
    },
};

fn url(location: &Location) -> &str {
    match location {
        Location::Postgres(url) => url,
        Location::Sqlite(_) => panic!("not on PostgreSQL"),
    }
}

/// A PostgreSQL database with rows in every table.
fn full() -> Location {
    let location = with_schema(postgres());
    add_everywhere(url(&location));
    location
}

fn moved(from: &Location, to: Location) -> Location {
    migrate(from, &to, &header(), |_| Ok(())).unwrap();
    to
}

#[test]
fn a_database_that_moves_to_and_fro_stays_equal() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let first = full();
    let on_sqlite = moved(&first, sqlite(&folder, "one.db"));
    let on_postgres = moved(&on_sqlite, postgres());
    let again = moved(&on_postgres, sqlite(&folder, "two.db"));

    let expected: Manifest = manifest(&first);
    for table in &expected.tables {
        assert_eq!(table.rows, ROWS as u64, "{}", table.name);
    }
    for location in [&on_sqlite, &on_postgres, &again] {
        assert_eq!(manifest(location).tables, expected.tables);
    }
    assert_eq!(manifest(&again).sequences, manifest(&on_sqlite).sequences);
}

#[test]
fn a_backup_of_one_database_is_restored_into_the_other() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = full();
    let secret = passphrase("correct horse");
    let file = backup(&source, &header(), Some(&secret));
    let on_sqlite = sqlite(&folder, "sluice.db");
    restore(&file, Some(&secret), &on_sqlite).unwrap();
    let file = backup(&on_sqlite, &header(), None);
    let on_postgres = postgres();
    let restored = restore(&file, None, &on_postgres).unwrap();
    assert_eq!(restored.tables, manifest(&source).tables);
    assert_eq!(manifest(&on_postgres).tables, restored.tables);
}

#[test]
fn a_moved_database_gives_out_new_numbers_and_finds_registry_entries() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = full();
    // A number that was given out, and whose row is gone.
    let sql = "SELECT setval(pg_get_serial_sequence('logs', 'seq'), 5000000000)";
    client(&source, |client| client.execute(sql, &[]).unwrap());
    let on_sqlite = moved(&source, sqlite(&folder, "sluice.db"));
    let on_postgres = moved(&on_sqlite, postgres());
    let highest = 1_000_003 * i64::try_from(ROWS).unwrap();
    for (table, column, least) in [
        ("logs", "seq", 5_000_000_000),
        ("events", "seq_no", highest),
        ("inbox", "seq", highest),
        ("count_ledger", "id", highest),
    ] {
        let sql = format!("SELECT nextval(pg_get_serial_sequence('{table}', '{column}'))");
        let next: i64 = client(&on_postgres, move |client| {
            client.query_one(&sql, &[]).unwrap().get(0)
        });
        assert_eq!(next, least + 1, "{table}");
    }
    for location in [on_sqlite, on_postgres] {
        assert_eq!(found(location), ROWS);
    }
}

fn client<T: Send + 'static>(
    location: &Location,
    work: impl FnOnce(&mut Client) -> T + Send + 'static,
) -> T {
    let url = url(location).to_owned();
    let work = move || work(&mut Client::connect(&url, NoTls).unwrap());
    std::thread::spawn(work).join().unwrap()
}

/// How many rows of the registry a search finds.
fn found(location: Location) -> usize {
    let store = Store::open(StoreOptions::new(location)).unwrap();
    let search = store.read(|c| matching(c, &["regist".to_owned()]));
    let runtime = runtime();
    let found = runtime.block_on(search).unwrap().len();
    store.close();
    found
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

#[test]
fn a_target_with_tables_is_refused_and_stays() {
    if skips_postgres() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = with_schema(sqlite(&folder, "sluice.db"));
    let target = full();
    let before = manifest(&target);
    let error = migrate(&source, &target, &header(), |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("has tables already"), "{error}");
    assert_eq!(manifest(&target), before);
}

#[test]
fn a_source_that_is_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let location = sqlite(&folder, "sluice.db");
    let server = Store::open(StoreOptions::new(location.clone())).unwrap();
    let error = while_unused(&location, || Ok::<_, sluice_store::StoreError>(())).unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
    server.close();
    while_unused(&location, || Ok::<_, sluice_store::StoreError>(())).unwrap();
}
