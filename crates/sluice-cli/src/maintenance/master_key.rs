//! The master key that belongs to a database.

use std::path::Path;

use anyhow::{Context, bail};
use sluice_store::{Conn, KeyFile, MasterKey, data_key};

use crate::data_folder::KEY_FILE;

/// The keys of one place, one of which must be that of the database.
pub(crate) struct KeysOf {
    /// Two while a rotation runs, and after it was interrupted.
    candidates: Vec<MasterKey>,
    /// Where they were found, for errors.
    origin: String,
}

impl KeysOf {
    pub(crate) fn new(hex: &str, origin: &str) -> anyhow::Result<KeysOf> {
        let key = MasterKey::from_hex(hex).with_context(|| format!("cannot use {origin}"))?;
        Ok(KeysOf {
            candidates: vec![key],
            origin: origin.to_owned(),
        })
    }

    /// The key of the settings.
    pub(crate) fn given(hex: Option<&str>) -> anyhow::Result<Option<KeysOf>> {
        hex.map(|hex| KeysOf::new(hex, "SLUICE_MASTER_KEY"))
            .transpose()
    }

    /// The key file of a data folder.
    pub(crate) fn folder(folder: &Path) -> anyhow::Result<Option<KeysOf>> {
        let file = key_file(folder);
        let origin = file.path().display().to_string();
        let load =
            || -> Result<_, sluice_store::VaultError> { Ok([file.load()?, file.load_pending()?]) };
        let found = load().with_context(|| format!("cannot use {origin}"))?;
        let candidates: Vec<_> = found.into_iter().flatten().collect();
        Ok((!candidates.is_empty()).then_some(KeysOf { candidates, origin }))
    }

    /// The key of the database; an error if none of these is. A database without a data key takes any.
    pub(crate) fn fitting(&self, c: &mut dyn Conn) -> anyhow::Result<&MasterKey> {
        let sealed = data_key::sealed(c)?;
        let fits = |key: &&MasterKey| {
            let sealed = sealed.as_deref();
            sealed.is_none_or(|sealed| key.open(sealed).is_ok())
        };
        match self.candidates.iter().find(fits) {
            Some(key) => Ok(key),
            None => bail!(
                "the master key from {} is not the one of this database. After a rotation, older backups need the old key",
                self.origin
            ),
        }
    }
}

/// Writes a key to a data folder. A key that is there stays, and must be the same.
pub(crate) fn save(key: &MasterKey, folder: &Path) -> anyhow::Result<()> {
    let file = key_file(folder);
    if file.save(key)? != *key {
        bail!("{} holds another master key", file.path().display());
    }
    Ok(())
}

pub(crate) fn key_file(folder: &Path) -> KeyFile {
    KeyFile::new(folder.join(KEY_FILE))
}
