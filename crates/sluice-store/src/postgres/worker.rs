//! One database thread: takes a job, runs it in a transaction, answers it.
//!
//! A connection goes back for the next job only if its transaction ended properly; otherwise it is
//! dropped, and the next job makes a new one.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{conn::PostgresConn, connect::Connector};
use crate::{
    error::{Result, StoreError},
    job::{Access, Ended, Job},
    queue::JobQueue,
};

/// After a connection could not be made, jobs fail at once for this long before it is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(200);

pub(super) struct Worker {
    connector: Arc<Connector>,
    idle: Option<PostgresConn>,
    failed: Option<FailedAttempt>,
}

struct FailedAttempt {
    at: Instant,
    error: StoreError,
}

impl Worker {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Worker {
            connector,
            idle: None,
            failed: None,
        }
    }

    /// Serves jobs until the queue closes.
    pub(super) fn run(&mut self, queue: &JobQueue) {
        while let Some(job) = queue.pop() {
            match self.begin(job.access()) {
                Ok(conn) => self.idle = serve(conn, job),
                Err(error) => job.answer_failed(error),
            }
        }
    }

    /// A connection inside a fresh transaction. One that was lost while idle is replaced here,
    /// where the job has not begun, so that it does not notice.
    fn begin(&mut self, access: Access) -> Result<PostgresConn> {
        if let Some(mut conn) = self.idle.take()
            && conn.begin(access).is_ok()
        {
            return Ok(conn);
        }
        let mut conn = self.connect()?;
        conn.begin(access)?;
        Ok(conn)
    }

    fn connect(&mut self) -> Result<PostgresConn> {
        if let Some(failed) = &self.failed
            && failed.at.elapsed() < RETRY_AFTER
        {
            return Err(failed.error.clone());
        }
        let connected = self.connector.connect();
        self.failed = connected.as_ref().err().map(|error| {
            tracing::warn!(%error, "no connection to the database");
            // What was reachable when the store was opened may come back.
            FailedAttempt {
                at: Instant::now(),
                error: StoreError::Unavailable(error.to_string()),
            }
        });
        match &self.failed {
            Some(failed) => Err(failed.error.clone()),
            None => connected,
        }
    }
}

/// Runs `job` in the open transaction of `conn` and answers it. Gives the connection back if it
/// can be used again.
fn serve(mut conn: PostgresConn, mut job: Box<dyn Job>) -> Option<PostgresConn> {
    let ended = job.run(&mut conn);
    match (job.access(), ended) {
        (Access::Write, Ended::Done) => match conn.end("COMMIT") {
            Ok(()) => {
                job.answer();
                Some(conn)
            }
            Err(error) => {
                job.answer_failed(error);
                None
            }
        },
        // Nothing to keep, so the answer need not wait for the end of the transaction.
        (Access::Write, Ended::Failed) | (Access::Read, Ended::Done | Ended::Failed) => {
            job.answer();
            conn.end("ROLLBACK").is_ok().then_some(conn)
        }
    }
}
