//! One database thread: takes a job, runs it in a transaction, answers it.
//!
//! A connection goes back for the next job only if its transaction ended properly; otherwise it is
//! dropped, and the next job makes a new one.

use super::{
    session::{Link, Session},
    transaction::Transaction,
};
use crate::{
    error::Result,
    job::{Access, Job, JobOutcome},
    queue::JobQueue,
};

pub(super) struct Worker {
    link: Link,
    idle: Option<Session>,
}

impl Worker {
    pub(super) fn new(link: Link) -> Self {
        Worker { link, idle: None }
    }

    /// Serves jobs until the queue closes.
    pub(super) fn run(&mut self, queue: &JobQueue) {
        while let Some(job) = queue.pop() {
            match self.session() {
                Ok((session, was_idle)) => self.idle = serve(&self.link, session, was_idle, job),
                Err(error) => job.answer_failed(error),
            }
        }
        // The server is told that the connection ends.
        self.idle = None;
        self.link.drive();
    }

    /// A connection, and whether it was idle before. One that was lost while idle is replaced here, where the job has not
    /// begun, or by the transaction, if only its first statements show that.
    fn session(&mut self) -> Result<(Session, bool)> {
        if let Some(session) = self.idle.take()
            && self.link.is_open(&session)
        {
            return Ok((session, true));
        }
        Ok((self.link.connect_again()?, false))
    }
}

/// Runs `job` in a transaction and answers it. Gives the connection back if it
/// can be used again.
fn serve(link: &Link, session: Session, was_idle: bool, mut job: Box<dyn Job>) -> Option<Session> {
    let access = job.access();
    let mut transaction = Transaction::new(link, session, was_idle);
    let result = match (job.run(&mut transaction), access) {
        (JobOutcome::Failed, _) => Ok(()),
        (JobOutcome::Done, Access::Read) => transaction.flush(),
        (JobOutcome::Done, Access::Write | Access::Commit | Access::Heartbeat) => {
            transaction.commit()
        }
    };
    match result {
        Ok(()) => job.answer(),
        Err(error) => job.answer_failed(error),
    }
    // Nothing is left to keep, so the answer need not wait for the end of the transaction.
    transaction.roll_back();
    transaction.into_session()
}
