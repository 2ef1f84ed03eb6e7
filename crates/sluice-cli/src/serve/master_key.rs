//! The master key of a server, which must be the one that sealed the data key of the database: with another one no API key
//! would be valid, and no secret could be read.

use std::path::Path;

use anyhow::{Context, bail};
use sluice_infra::Ids;
use sluice_store::{FoundKey, KeyFile, MasterKey, Store, Vault, data_key};

use crate::data_folder::KEY_FILE;

/// Where the master key comes from.
pub(crate) enum MasterKeySource {
    /// The settings.
    Given(MasterKey),
    /// The file in the data folder. It is made with a new database.
    File(KeyFile),
}

impl MasterKeySource {
    /// The settings, or else the file. A key that is malformed is an error.
    pub(crate) fn find(given: Option<&str>, data_dir: &Path) -> anyhow::Result<MasterKeySource> {
        if let Some(key) = given {
            let key = MasterKey::from_hex(key).context("cannot use SLUICE_MASTER_KEY")?;
            return Ok(MasterKeySource::Given(key));
        }
        let file = KeyFile::new(data_dir.join(KEY_FILE));
        file.load().context("cannot use the master key")?;
        Ok(MasterKeySource::File(file))
    }

    /// Opens the data key of the database. A new database gets one.
    pub(crate) async fn open(&self, store: &Store, ids: &Ids) -> anyhow::Result<Vault> {
        let sealed = store.read(data_key::sealed).await?;
        match (self, sealed) {
            (MasterKeySource::Given(key), Some(sealed)) => {
                fitting(key, &sealed, "SLUICE_MASTER_KEY")
            }
            (MasterKeySource::Given(key), None) => {
                new_data_key(key, store, ids, "SLUICE_MASTER_KEY").await
            }
            (MasterKeySource::File(file), Some(sealed)) => of_file(file, store, &sealed).await,
            (MasterKeySource::File(file), None) => {
                let key = match file.load()? {
                    Some(key) => key,
                    None => file
                        .create(&mut ids.rng())
                        .context("cannot make a master key")?,
                };
                new_data_key(&key, store, ids, &origin(file)).await
            }
        }
    }
}

/// Another server may have been faster. Its data key counts then.
async fn new_data_key(
    key: &MasterKey,
    store: &Store,
    ids: &Ids,
    origin: &str,
) -> anyhow::Result<Vault> {
    let new = key.new_data_key(&mut ids.rng());
    let sealed = store.write(move |c| data_key::record(c, &new)).await?;
    fitting(key, &sealed, origin)
}

fn fitting(key: &MasterKey, sealed: &str, origin: &str) -> anyhow::Result<Vault> {
    key.open(sealed).map_err(|error| {
        anyhow::anyhow!(
            "the master key from {origin} is not the one of this database ({error}): use {KEY_FILE} \
             of the data folder that belongs to the database, or set SLUICE_MASTER_KEY to its \
             content. After a rotation that is the new key"
        )
    })
}

fn origin(file: &KeyFile) -> String {
    file.path().display().to_string()
}

async fn of_file(file: &KeyFile, store: &Store, sealed: &str) -> anyhow::Result<Vault> {
    let current = file.load()?;
    if let Some(key) = &current
        && let Ok(vault) = key.open(sealed)
    {
        return Ok(vault);
    }
    if let Some(key) = finish_rotation(file, store).await? {
        return Ok(key);
    }
    match current {
        Some(key) => fitting(&key, sealed, &origin(file)),
        None => bail!(
            "the master key of this database is missing: copy {KEY_FILE} from the data folder of \
             the server that made the database to {}, or set SLUICE_MASTER_KEY",
            file.path().display()
        ),
    }
}

/// The database may have the key of a rotation that was interrupted, or that runs.
async fn finish_rotation(file: &KeyFile, store: &Store) -> anyhow::Result<Option<Vault>> {
    if file.load_pending()?.is_none() && file.load()?.is_none() {
        return Ok(None);
    }
    let locked = file.clone();
    let lock = tokio::task::spawn_blocking(move || locked.lock()).await??;
    let Some(sealed) = store.read(data_key::sealed).await? else {
        return Ok(None);
    };
    let key = match file.find(&sealed)? {
        None => return Ok(None),
        Some(FoundKey::Current(key)) => key,
        Some(FoundKey::Pending(key)) => {
            file.publish_pending(&lock)?;
            tracing::info!("an interrupted rotation of the master key is finished");
            key
        }
    };
    Ok(Some(key.open(&sealed)?))
}
