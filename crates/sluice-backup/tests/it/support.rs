//! Databases with rows in every table, and dumps of them.

use std::{env, io::Write};

use rand::{SeedableRng, rngs::StdRng};
use sluice_backup::{BackupReader, BackupWriter, Dump, Header, Manifest, Passphrase, Result, dump};
use sluice_store::{
    Location, Store, StoreOptions,
    transfer::{self, fill, snapshot},
};
use sluice_testkit::Postgres;
use tempfile::TempDir;

pub(crate) fn skips_postgres() -> bool {
    env::var("SLUICE_TEST_SKIP_POSTGRES").as_deref() == Ok("1")
}

/// A database that does not exist yet.
pub(crate) fn sqlite(folder: &TempDir, name: &str) -> Location {
    Location::Sqlite(folder.path().join(name))
}

/// An empty database.
pub(crate) fn postgres() -> Location {
    Location::Postgres(Postgres::database())
}

/// Creates the schema, as a server does.
pub(crate) fn with_schema(location: Location) -> Location {
    Store::open(StoreOptions::new(location.clone()))
        .unwrap()
        .close();
    location
}

pub(crate) fn header() -> Header {
    Header {
        sluice: "0.1.0".to_owned(),
        schema: transfer::newest_schema(),
        migrations: Vec::new(),
        database: sluice_backup::Database::Sqlite,
        created_at: 1_000,
        master_key: None,
        journal: String::new(),
    }
}

/// The counts and hashes of a database.
pub(crate) fn manifest(location: &Location) -> Manifest {
    snapshot(location, |c| dump(c, &header(), &mut std::io::sink())).unwrap()
}

pub(crate) fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text)
}

/// A backup file of a database.
pub(crate) fn backup(
    location: &Location,
    header: &Header,
    passphrase: Option<&Passphrase>,
) -> Vec<u8> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut file = BackupWriter::new(Vec::new(), passphrase, &mut rng).unwrap();
    snapshot(location, |c| dump(c, header, &mut file)).unwrap();
    file.flush().unwrap();
    file.finish().unwrap()
}

/// Restores a backup file.
pub(crate) fn restore(
    file: &[u8],
    passphrase: Option<&Passphrase>,
    location: &Location,
) -> Result<Manifest> {
    let given = || Ok(passphrase.expect("it is encrypted").clone());
    let reader = BackupReader::open::<sluice_backup::BackupError>(file, given)?;
    let dump = Dump::open(reader)?;
    fill(location, |c| {
        let (manifest, reader) = dump.fill(c)?;
        reader.finish()?;
        Ok(manifest)
    })
}
