//! Transactions on a whole file, beside a server or instead of it.

use std::{fs::File, path::Path};

use rusqlite::Connection;

use super::{
    conn::SqliteConn,
    lock::{self, FileLock},
    open, open_reader, script,
};
use crate::{conn::Conn, error::StoreError};

/// Without a journal: the file is useless until the transaction has ended, and is written once. Sorting may use files, as
/// memory is bounded.
const FILLING: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -131072;
";

pub(crate) fn snapshot<T, E: From<StoreError>>(
    path: &Path,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    require(path)?;
    let connection = open_reader(path)?;
    // Tables are read in the order of an index. Whatever is sorted anyway may use files.
    script(&connection, "PRAGMA temp_store = FILE; BEGIN DEFERRED")?;
    let result = work(&mut SqliteConn::new(&connection))?;
    script(&connection, "ROLLBACK")?;
    Ok(result)
}

/// Waits longer than others for the writer of a busy server, which takes turns with it.
const UPDATING: &str = "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE";

pub(crate) fn update<T, E: From<StoreError>>(
    path: &Path,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    require(path)?;
    let connection = open(path)?;
    script(&connection, UPDATING)?;
    // An error drops the connection, and with it the transaction.
    let result = work(&mut SqliteConn::new(&connection))?;
    script(&connection, "COMMIT")?;
    Ok(result)
}

pub(crate) fn fill<T, E: From<StoreError>>(
    path: &Path,
    work: impl FnOnce(&mut dyn Conn) -> Result<T, E>,
) -> Result<T, E> {
    lock::create_private(path)?;
    let connection = open(path)?;
    script(&connection, FILLING)?;
    script(&connection, "BEGIN IMMEDIATE")?;
    let result = work(&mut SqliteConn::new(&connection))?;
    script(&connection, "COMMIT")?;
    close(connection, path)?;
    Ok(result)
}

fn require(path: &Path) -> Result<(), StoreError> {
    if path.is_file() {
        return Ok(());
    }
    let text = format!("there is no database at {}", path.display());
    Err(StoreError::Unusable(text))
}

/// Closes a file that was written without syncs, and writes it to the disk.
fn close(connection: Connection, path: &Path) -> Result<(), StoreError> {
    drop(connection);
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::Unavailable(format!("{}: {error}", path.display())))
}

pub(crate) fn while_unused<T, E: From<StoreError>>(
    path: &Path,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    require(path)?;
    let _lock = FileLock::take(path)?;
    work()
}
