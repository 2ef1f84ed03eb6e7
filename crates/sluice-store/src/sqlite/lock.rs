//! The files of the database: one server at a time, readable by their owner alone.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use crate::error::{Result, StoreError};

/// Held as long as this process uses the database; the kernel lets it go if the process dies.
pub(super) struct FileLock {
    /// Never read: the lock lasts as long as the file is open.
    _file: File,
}

impl FileLock {
    /// Locks `<database>.lock`. SQLite's own locks would let two servers take turns, and each
    /// would run every source.
    pub(super) fn take(database: &Path) -> Result<FileLock> {
        let path = lock_path(database);
        let file = open_private(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(FileLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Unusable(format!(
                "{} is in use by another server",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => Err(StoreError::Unusable(format!(
                "cannot lock {}: {error}",
                path.display()
            ))),
        }
    }
}

/// Makes the database file if it is missing. SQLite gives its log files the same permissions.
pub(super) fn create_private(database: &Path) -> Result<()> {
    open_private(database).map(drop)
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".lock");
    PathBuf::from(name)
}

fn open_private(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| StoreError::Unusable(format!("cannot open {}: {error}", path.display())))
}
