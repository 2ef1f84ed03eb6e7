//! The writer thread: group commit.
//!
//! It takes the first waiting job and everything that waits behind it, runs each in a savepoint of
//! one transaction, commits once, and only then answers. While it commits, the next group gathers;
//! no timer is needed. A job that fails is undone alone. Whatever loses the whole transaction (a
//! full disk, a failed commit) fails every job that had run in it, and none is answered as done.

use std::collections::VecDeque;

use rusqlite::Connection;

use super::conn::{SqliteConn, store_error};
use crate::{
    error::{Result, StoreError},
    job::{Job, JobOutcome},
    queue::JobQueue,
};

/// Bounds how long the first job of a group waits for the last.
const GROUP_LIMIT: usize = 1_000;

/// Serves writes until the queue closes.
pub(super) fn run(connection: &Connection, queue: &JobQueue) {
    let mut waiting = VecDeque::new();
    loop {
        queue.pop_group(GROUP_LIMIT, &mut waiting);
        if waiting.is_empty() {
            return;
        }
        // More than one round only when a transaction was lost halfway.
        while !waiting.is_empty() {
            commit_group(connection, &mut waiting);
        }
    }
}

/// Runs the jobs of `waiting` in one transaction, commits it, and answers them. Stops early, with
/// jobs left over, when the transaction is lost on the way.
fn commit_group(connection: &Connection, waiting: &mut VecDeque<Box<dyn Job>>) {
    let mut ran = Vec::with_capacity(waiting.len());
    if let Err(error) = statement(connection, "BEGIN IMMEDIATE") {
        return fail(waiting.drain(..), &error);
    }
    while let Some(mut job) = waiting.pop_front() {
        let kept = run_in_savepoint(connection, job.as_mut());
        ran.push(job);
        if let Err(error) = kept {
            roll_back(connection);
            return fail(ran.into_iter(), &error);
        }
    }
    match statement(connection, "COMMIT") {
        Ok(()) => ran.into_iter().for_each(Job::answer),
        Err(error) => {
            roll_back(connection);
            fail(ran.into_iter(), &error);
        }
    }
}

/// Runs one job so that its failure undoes its own work alone. An error means that the whole
/// transaction is lost.
fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> Result<()> {
    statement(connection, "SAVEPOINT job")?;
    let ended = job.run(&mut SqliteConn::new(connection));
    // SQLite itself ends the transaction on a full disk, an I/O error or lack of memory.
    if connection.is_autocommit() {
        return Err(StoreError::Unavailable(
            "another write of the same group lost the transaction".to_owned(),
        ));
    }
    if ended == JobOutcome::Failed {
        statement(connection, "ROLLBACK TO job")?;
    }
    statement(connection, "RELEASE job")
}

fn statement(connection: &Connection, sql: &str) -> Result<()> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(|error| store_error(&error))
}

fn roll_back(connection: &Connection) {
    if !connection.is_autocommit()
        && let Err(error) = statement(connection, "ROLLBACK")
    {
        tracing::error!(%error, "rollback failed");
    }
}

/// The jobs did nothing wrong, so their callers may retry whatever the reason is.
fn fail(jobs: impl Iterator<Item = Box<dyn Job>>, error: &StoreError) {
    tracing::warn!(%error, "group commit failed");
    let answer = match error {
        StoreError::Unavailable(_) => error.clone(),
        StoreError::Conflict(reason)
        | StoreError::Fenced(reason)
        | StoreError::Invalid(reason)
        | StoreError::Corrupt(reason)
        | StoreError::Unusable(reason)
        | StoreError::Internal(reason) => StoreError::Unavailable(reason.clone()),
    };
    for job in jobs {
        job.answer_failed(answer.clone());
    }
}
