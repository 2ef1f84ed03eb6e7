//! The master key of a server, which must be the one that the database was made with: with another one no API key would be
//! valid, and no secret could be read.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sluice_infra::Ids;
use sluice_store::{Store, Vault, master_key};

use crate::data_folder::KEY_FILE;

pub(crate) enum MasterKey {
    /// From the settings.
    Given(Vault),
    /// From the file in the data folder.
    Stored(Vault, PathBuf),
    /// To be made, if the database is new.
    Missing(PathBuf),
}

impl MasterKey {
    /// The key of the settings, or else of the file.
    pub(crate) fn find(given: Option<&str>, data_dir: &Path) -> anyhow::Result<MasterKey> {
        if let Some(key) = given {
            let vault = Vault::from_hex(key).context("cannot use SLUICE_MASTER_KEY")?;
            return Ok(MasterKey::Given(vault));
        }
        let path = data_dir.join(KEY_FILE);
        let stored = Vault::load(&path).context("cannot use the master key")?;
        Ok(match stored {
            Some(vault) => MasterKey::Stored(vault, path),
            None => MasterKey::Missing(path),
        })
    }

    /// Compares the key with that of the database. A new database gets this one.
    pub(crate) async fn check(self, store: &Store, ids: &Ids) -> anyhow::Result<Vault> {
        let (vault, origin) = match self {
            MasterKey::Given(vault) => (vault, "SLUICE_MASTER_KEY".to_owned()),
            MasterKey::Stored(vault, path) => (vault, path.display().to_string()),
            MasterKey::Missing(path) => {
                if store.read(master_key::key_check).await?.is_some() {
                    bail!(
                        "the master key of this database is missing: copy {KEY_FILE} from the data \
                         folder of the server that made the database to {}, or set \
                         SLUICE_MASTER_KEY",
                        path.display()
                    );
                }
                let vault = Vault::create(&path, &mut ids.rng());
                let vault = vault.context("cannot make a master key")?;
                (vault, path.display().to_string())
            }
        };
        let key_check = vault.key_check();
        let stored = {
            let key_check = key_check.clone();
            store.write(move |c| master_key::record(c, &key_check))
        };
        if stored.await? != key_check {
            bail!(
                "the master key from {origin} is not the one that this database was made with: \
                 use {KEY_FILE} of the data folder that belongs to the database, or set \
                 SLUICE_MASTER_KEY to its content"
            );
        }
        Ok(vault)
    }
}
