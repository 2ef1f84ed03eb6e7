//! The master key that belongs to a database.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use sluice_store::{Conn, Vault, master_key};

use crate::data_folder::KEY_FILE;

pub(super) struct MasterKey {
    hex: String,
    vault: Vault,
    /// Where it was found, for errors.
    origin: String,
}

impl MasterKey {
    pub(super) fn new(hex: &str, origin: &str) -> anyhow::Result<MasterKey> {
        let vault = Vault::from_hex(hex).with_context(|| format!("cannot use {origin}"))?;
        Ok(MasterKey {
            hex: hex.trim().to_owned(),
            vault,
            origin: origin.to_owned(),
        })
    }

    /// The key of the settings.
    pub(super) fn given(hex: Option<&str>) -> anyhow::Result<Option<MasterKey>> {
        hex.map(|hex| MasterKey::new(hex, "SLUICE_MASTER_KEY"))
            .transpose()
    }

    /// The key file of a data folder.
    pub(super) fn of_folder(folder: &Path) -> anyhow::Result<Option<MasterKey>> {
        let path = path(folder);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
            Ok(hex) => MasterKey::new(&hex, &path.display().to_string()).map(Some),
        }
    }

    pub(super) fn hex(&self) -> &str {
        &self.hex
    }

    /// An error if the database was made with another key.
    pub(super) fn check(&self, c: &mut dyn Conn) -> anyhow::Result<()> {
        let expected = master_key::key_check(c)?;
        if expected.is_some_and(|expected| expected != self.vault.key_check()) {
            bail!(
                "the master key from {} is not the one of this database",
                self.origin
            );
        }
        Ok(())
    }

    /// Writes it to a data folder. A key that is there stays, and must be the same.
    pub(super) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let path = path(folder);
        let saved = Vault::save(&path, &self.hex)?;
        if saved.key_check() != self.vault.key_check() {
            bail!("{} holds another master key", path.display());
        }
        Ok(())
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(KEY_FILE)
}
