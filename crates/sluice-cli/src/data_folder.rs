//! The data folder of a server: private, and used by one process at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

pub(crate) const LOCK_FILE: &str = "server.lock";
pub(crate) const DATABASE_FILE: &str = "sluice.db";
pub(crate) const KEY_FILE: &str = "master.key";
/// Beside the key file while the key is rotated.
pub(crate) const PENDING_KEY_FILE: &str = "master.key.pending";
pub(crate) const KEY_LOCK_FILE: &str = "master.key.lock";
/// The database while it is restored. It gets its name when it is complete.
pub(crate) const UNFINISHED_FILE: &str = "sluice.db.restoring";

pub(crate) struct DataFolder {
    path: PathBuf,
    /// Never read: the lock lasts as long as the file is open. The kernel releases it if the process dies.
    _lock: File,
}

impl DataFolder {
    /// Makes the folder if it is missing, and locks it.
    pub(crate) fn open(path: &Path) -> anyhow::Result<DataFolder> {
        let prepared = prepare(path);
        let (path, lock) =
            prepared.with_context(|| format!("cannot use the data folder {}", path.display()))?;
        match lock.try_lock() {
            Ok(()) => Ok(DataFolder { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => bail!(
                "the data folder {} is in use by another server: stop that server, or choose \
                 another folder with --data-dir",
                path.display()
            ),
            Err(TryLockError::Error(error)) => Err(error)
                .with_context(|| format!("cannot lock the data folder {}", path.display())),
        }
    }

    /// Makes the folder if it is missing.
    pub(crate) fn create(path: &Path) -> std::io::Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
    }

    /// An error if the database of the folder is being restored, or the restore was interrupted.
    pub(crate) fn require_complete(&self) -> anyhow::Result<()> {
        if self.path.join(UNFINISHED_FILE).exists() {
            bail!(
                "a restore into {} was interrupted: run `sluice restore` again",
                self.path.display()
            );
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn prepare(path: &Path) -> std::io::Result<(PathBuf, File)> {
    DataFolder::create(path)?;
    let path = path.canonicalize()?;
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path.join(LOCK_FILE))?;
    Ok((path, lock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_belongs_to_one_server_at_a_time() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        let first = DataFolder::open(&path).unwrap();
        let second = DataFolder::open(&path).map(drop).unwrap_err();
        assert!(second.to_string().contains("in use by another server"));
        drop(first);
        DataFolder::open(&path).unwrap();
    }
}
