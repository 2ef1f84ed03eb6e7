//! A reader thread: each job on a snapshot of its own.

use rusqlite::Connection;

use super::conn::{SqliteConn, store_error};
use crate::{job::JobOutcome, queue::JobQueue};

/// Serves reads until the queue closes.
pub(super) fn run(connection: &Connection, queue: &JobQueue) {
    while let Some(mut job) = queue.pop() {
        if let Err(error) = end_or_begin(connection, "BEGIN DEFERRED") {
            job.answer_failed(store_error(&error));
            continue;
        }
        // A read has nothing to commit, so its answer need not wait for the end of the snapshot.
        let (JobOutcome::Done | JobOutcome::Failed) = job.run(&mut SqliteConn::new(connection));
        job.answer();
        if let Err(error) = end_or_begin(connection, "ROLLBACK") {
            tracing::error!(%error, "ending a read transaction failed");
        }
    }
}

fn end_or_begin(connection: &Connection, sql: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute([])
}
