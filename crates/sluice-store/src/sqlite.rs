//! The SQLite driver: one writer thread that commits in groups, and readers beside it.
//!
//! An answered write is on the disk (`synchronous=FULL`), and one server at a time uses the file.

mod conn;
mod lock;
mod reader;
pub(crate) mod whole;
mod writer;

use std::{path::Path, sync::Arc, thread::JoinHandle};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use self::{
    conn::{SqliteConn, store_error},
    lock::FileLock,
};
use crate::{
    driver::{Driver, Queues, spawn},
    error::{Result, StoreError},
    migrate,
    queue::JobQueue,
};

/// Reads are short and mostly served from the page cache; two threads keep one slow read from
/// holding up all the others.
const READERS: usize = 2;

/// All statements of the query modules fit, so that each is parsed once for each connection.
const CACHED_STATEMENTS: usize = 1_024;

/// For every connection. The checkpoint threshold is four times the default, as group commits
/// fill the log fast; the size limit gives the disk back after a burst.
const PRAGMAS: &str = "
    PRAGMA busy_timeout = 5000;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 0;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
";

/// Opens the file, migrates it and starts the threads.
pub(crate) fn start(path: &Path, max_pages: Option<u32>) -> Result<Driver> {
    // Each thread holds the lock, so that it is let go when the last connection is closed.
    let lock = Arc::new(FileLock::take(path)?);
    lock::create_private(path)?;
    let writer = open_writer(path, max_pages)?;
    let readers = (0..READERS)
        .map(|_| open_reader(path))
        .collect::<Result<Vec<_>>>()?;

    let shared: Arc<JobQueue> = Arc::default();
    let queues = Queues {
        reads: Arc::default(),
        commits: Arc::clone(&shared),
        heartbeats: Arc::clone(&shared),
        writes: shared,
    };
    let mut threads = vec![start_thread(
        "store-writer",
        writer,
        &queues.writes,
        &lock,
        writer::run,
    )?];
    for reader in readers {
        threads.push(start_thread(
            "store-reader",
            reader,
            &queues.reads,
            &lock,
            reader::run,
        )?);
    }
    Ok(Driver {
        queues,
        threads,
        commit_round_trips: Arc::default(),
    })
}

fn start_thread(
    name: &str,
    connection: Connection,
    queue: &Arc<JobQueue>,
    lock: &Arc<FileLock>,
    run: fn(&Connection, &JobQueue),
) -> Result<JoinHandle<()>> {
    let queue = Arc::clone(queue);
    let lock = Arc::clone(lock);
    spawn(name, move || {
        run(&connection, &queue);
        drop(connection);
        drop(lock);
    })
}

fn open_writer(path: &Path, max_pages: Option<u32>) -> Result<Connection> {
    let connection = open(path)?;
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| store_error(&error))?;
    if mode != "wal" {
        return Err(StoreError::Unusable(format!(
            "{}: SQLite cannot keep a write-ahead log on this file system",
            path.display()
        )));
    }
    script(&connection, "BEGIN IMMEDIATE")?;
    let migrated = migrate::apply(&mut SqliteConn::new(&connection));
    script(
        &connection,
        if migrated.is_ok() {
            "COMMIT"
        } else {
            "ROLLBACK"
        },
    )?;
    migrated?;
    if let Some(pages) = max_pages {
        script(&connection, &format!("PRAGMA max_page_count = {pages}"))?;
    }
    Ok(connection)
}

fn open_reader(path: &Path) -> Result<Connection> {
    let connection = open(path)?;
    script(&connection, "PRAGMA query_only = ON")?;
    Ok(connection)
}

fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| {
        StoreError::Unusable(format!("cannot open {}: {error}", path.display()))
    })?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Plans must not depend on bound values. Otherwise SQLite prepares each statement with `LIMIT ?` again on every use.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(|error| store_error(&error))?;
    script(&connection, PRAGMAS)?;
    Ok(connection)
}

fn script(connection: &Connection, sql: &str) -> Result<()> {
    connection
        .execute_batch(sql)
        .map_err(|error| store_error(&error))
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_bound_limit_does_not_prepare_a_statement_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        std::fs::File::create(&path).unwrap();
        let connection = open(&path).unwrap();
        let sql = "SELECT name FROM sqlite_schema LIMIT ?1";
        let mut statement = connection.prepare(sql).unwrap();
        for limit in 1..=3 {
            assert!(!statement.exists([limit]).unwrap());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
