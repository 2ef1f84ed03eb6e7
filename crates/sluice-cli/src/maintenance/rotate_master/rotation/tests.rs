//! Rotations on both databases: whole ones, refused ones, and ones that are killed after each step.

use std::{env, fs, path::Path, sync::Arc};

use sluice_infra::Ids;
use sluice_model::SystemClock;
use sluice_store::{
    Page, Store, StoreOptions, Vault,
    audit::{self, AuditFilter},
};
use sluice_testkit::Postgres;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::{data_folder::DATABASE_FILE, serve::master_key::MasterKeySource};

const SECRET: &[u8] = b"secret";
const STEPS: usize = 5;

/// A database that a server has used, with a secret.
struct Site {
    folder: TempDir,
    location: Location,
    ids: Ids,
    sealed_secret: String,
    fingerprint: String,
}

/// A site on each database, unless PostgreSQL is left out of this run.
fn sites() -> Vec<Site> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = || tempfile::tempdir().unwrap();
    let on_sqlite = folder();
    let file = Location::Sqlite(on_sqlite.path().join(DATABASE_FILE));
    let mut sites = vec![Site::new(on_sqlite, file, None)];
    if env::var("SLUICE_TEST_SKIP_POSTGRES").as_deref() != Ok("1") {
        let database = Location::Postgres(Postgres::database());
        sites.push(Site::new(folder(), database, None));
    }
    sites
}

/// What a server does with its key when it starts, beside those that run.
fn start(location: &Location, folder: &Path, given: Option<&str>) -> anyhow::Result<Vault> {
    let store = Store::open(StoreOptions::new(location.clone()))?;
    let ids = Ids::from_entropy(Arc::new(SystemClock));
    let runtime = Runtime::new()?;
    let opened = MasterKeySource::find(given, folder)
        .and_then(|source| runtime.block_on(source.open(&store, &ids)));
    store.close();
    opened
}

impl Site {
    fn new(folder: TempDir, location: Location, given: Option<&str>) -> Site {
        let vault = start(&location, folder.path(), given).unwrap();
        let ids = Ids::seeded(Arc::new(SystemClock), 1);
        Site {
            sealed_secret: vault.seal(SECRET, &mut ids.rng()),
            fingerprint: vault.fingerprint("key"),
            folder,
            location,
            ids,
        }
    }

    fn file(&self) -> KeyFile {
        KeyFile::new(self.folder.path().join("master.key"))
    }

    fn key(&self) -> MasterKey {
        self.file().load().unwrap().unwrap()
    }

    fn rotate(&self, new: Option<MasterKey>) -> anyhow::Result<Outcome> {
        of_file(&self.location, &self.file(), new, &self.ids)
    }

    #[track_caller]
    fn assert_starts(&self, given: Option<&str>) {
        let vault = start(&self.location, self.folder.path(), given).unwrap();
        assert_eq!(vault.open(&self.sealed_secret).unwrap(), SECRET);
        assert_eq!(vault.fingerprint("key"), self.fingerprint);
    }
}

fn key(byte: &str) -> MasterKey {
    MasterKey::from_hex(&byte.repeat(32)).unwrap()
}

#[test]
fn secrets_and_fingerprints_stay_and_the_old_key_opens_nothing() {
    for site in sites() {
        let old = site.key();
        let outcome = site.rotate(None).unwrap();
        assert!(matches!(outcome, Outcome::Rotated { .. }));
        assert_ne!(site.key(), old);
        site.assert_starts(None);
        let error = start(&site.location, site.folder.path(), Some(&old.hex())).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("is not the one of this database"), "{error}");

        site.rotate(Some(key("ab"))).unwrap();
        assert_eq!(site.key(), key("ab"));
        site.assert_starts(Some(&"ab".repeat(32)));
        assert_eq!(site.rotate(Some(key("ab"))).unwrap(), Outcome::Unchanged);
    }
}

/// The files and the database after the first `steps` of a rotation.
fn interrupted(site: &Site, new: &MasterKey, steps: usize) {
    let (file, old) = (site.file(), site.key());
    let lock = file.lock().unwrap();
    if steps >= 1 {
        let half = site.folder.path().join("master.key.pending.new");
        fs::write(half, "0101").unwrap();
    }
    if steps >= 2 {
        file.write_pending(new, &lock).unwrap();
    }
    if steps >= 3 {
        reseal(&site.location, &old, new, &site.ids).unwrap();
    }
    if steps >= 4 {
        file.publish_pending(&lock).unwrap();
    }
}

#[test]
fn after_a_kill_at_any_step_the_server_starts_and_the_rotation_can_be_repeated() {
    for steps in 0..STEPS {
        for site in sites() {
            interrupted(&site, &key("02"), steps);
            site.assert_starts(None);
            let expected = if steps < 3 { site.key() } else { key("02") };
            assert_eq!(site.key(), expected, "{steps}");
            site.rotate(Some(key("03"))).unwrap();
            assert_eq!(site.key(), key("03"), "{steps}");
            site.assert_starts(None);
        }
    }
}

#[test]
fn a_rotation_that_follows_an_interrupted_one_finishes_it_first() {
    for steps in 0..STEPS {
        for site in sites() {
            interrupted(&site, &key("02"), steps);
            let outcome = site.rotate(Some(key("02"))).unwrap();
            assert_eq!(outcome == Outcome::Unchanged, steps >= 3, "{steps}");
            assert_eq!(site.key(), key("02"), "{steps}");
            site.assert_starts(None);
            assert!(site.file().load_pending().unwrap().is_none());
        }
    }
}

#[test]
fn another_key_is_refused_and_nothing_changes() {
    for site in sites() {
        let right = site.key();
        fs::write(site.file().path(), "ab".repeat(32)).unwrap();
        let error = site.rotate(None).unwrap_err().to_string();
        assert!(error.contains("is not the one of this database"), "{error}");
        assert!(site.file().load_pending().unwrap().is_none());
        let wrong = key("cd");
        let error = of_settings(&site.location, &wrong, &key("02"), &site.ids).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("SLUICE_MASTER_KEY is not the one"),
            "{error}"
        );
        fs::write(site.file().path(), right.hex()).unwrap();
        site.assert_starts(None);

        fs::remove_file(site.file().path()).unwrap();
        let error = site.rotate(None).unwrap_err().to_string();
        assert!(error.contains("there is no master key at"), "{error}");
    }
}

#[test]
fn a_key_of_the_settings_is_replaced_and_can_be_given_twice() {
    for site in sites() {
        let old = site.key();
        fs::remove_file(site.file().path()).unwrap();
        for again in [false, true] {
            let outcome = of_settings(&site.location, &old, &key("02"), &site.ids).unwrap();
            assert_eq!(outcome == Outcome::Unchanged, again);
            site.assert_starts(Some(&"02".repeat(32)));
            assert!(start(&site.location, site.folder.path(), Some(&old.hex())).is_err());
        }
        assert!(site.file().load().unwrap().is_none());
    }
}

#[test]
fn a_rotation_is_in_the_audit_log_once() {
    for site in sites() {
        let old = site.key();
        reseal(&site.location, &old, &key("02"), &site.ids).unwrap();
        reseal(&site.location, &old, &key("03"), &site.ids).unwrap_err();
        let newest = Page {
            limit: 10,
            after: None,
            before: None,
        };
        let entries = snapshot(&site.location, |c| {
            audit::page(c, &AuditFilter::default(), &newest)
        });
        let actions: Vec<Action> = entries
            .unwrap()
            .into_iter()
            .map(|entry| entry.action)
            .collect();
        assert_eq!(actions, [Action::ServerRotateMasterKey]);
    }
}

#[test]
fn only_one_of_two_rotations_with_the_same_old_key_counts() {
    for site in sites() {
        let old = site.key();
        reseal(&site.location, &old, &key("02"), &site.ids).unwrap();
        let error = reseal(&site.location, &old, &key("03"), &site.ids).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("another rotation was faster"), "{error}");
        site.assert_starts(Some(&"02".repeat(32)));
    }
}

#[test]
fn a_rotation_goes_on_beside_an_open_store() {
    for site in sites() {
        let store = Store::open(StoreOptions::new(site.location.clone())).unwrap();
        site.rotate(None).unwrap();
        let sealed = Runtime::new().unwrap();
        let sealed = sealed.block_on(store.read(data_key::sealed)).unwrap();
        assert!(site.key().open(&sealed.unwrap()).is_ok());
        store.close();
    }
}

#[test]
fn a_database_that_no_server_has_used_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = KeyFile::new(folder.path().join("master.key"));
    file.save(&key("01")).unwrap();
    let location = Location::Sqlite(folder.path().join(DATABASE_FILE));
    let ids = Ids::seeded(Arc::new(SystemClock), 1);
    let error = of_file(&location, &file, None, &ids)
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is no database at"), "{error}");
}
