//! One database thread: takes a job, runs it in a transaction, answers it.
//!
//! A connection goes back for the next job only if its transaction ended properly; otherwise it is
//! dropped, and the next job makes a new one.

use std::sync::Arc;

use super::{conn::PostgresConn, connect::Connector};
use crate::{
    error::Result,
    job::{Access, Job, JobOutcome},
    queue::JobQueue,
};

pub(super) struct Worker {
    connector: Arc<Connector>,
    idle: Option<PostgresConn>,
}

impl Worker {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Worker {
            connector,
            idle: None,
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
        let mut conn = self.connector.connect_again()?;
        conn.begin(access)?;
        Ok(conn)
    }
}

/// Runs `job` in the open transaction of `conn` and answers it. Gives the connection back if it
/// can be used again.
fn serve(mut conn: PostgresConn, mut job: Box<dyn Job>) -> Option<PostgresConn> {
    let ended = job.run(&mut conn);
    match (job.access(), ended) {
        (Access::Write, JobOutcome::Done) => match conn.end("COMMIT") {
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
        (Access::Write, JobOutcome::Failed)
        | (Access::Read, JobOutcome::Done | JobOutcome::Failed) => {
            job.answer();
            conn.end("ROLLBACK").is_ok().then_some(conn)
        }
    }
}
