//! A transaction that is sent to a database thread, and its result.
//!
//! A job runs first and is answered later, because the result is sent only when the commit is
//! durable.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use tokio::sync::oneshot;

use crate::{
    conn::{Conn, Dialect, Query},
    error::{Result, StoreError},
    row::Row,
    value::{Value, reject_nul},
};

/// The kind of a job. Each has its own queue, so that slow jobs of one kind do not delay the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// A write on the path of an event.
    Commit,
    /// A write that must be answered at once or fail.
    Heartbeat,
}

/// How a job's own work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobOutcome {
    /// Its changes may be committed.
    Done,
    /// Its changes must be undone.
    Failed,
}

/// A transaction, with its types erased. Run it once, then answer it once.
pub(crate) trait Job: Send {
    fn access(&self) -> Access;

    /// Does the work and keeps the result. Never panics.
    fn run(&mut self, conn: &mut dyn Conn) -> JobOutcome;

    /// Sends the kept result to the caller.
    fn answer(self: Box<Self>);

    /// Sends `error`, or the job's own error if it has one.
    fn answer_failed(self: Box<Self>, error: StoreError);
}

/// Packs `work` into a job; the receiver gets its result.
pub(crate) fn job<T, F>(access: Access, work: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let task = Task {
        access,
        work: Some(work),
        result: None,
        reply,
    };
    (Box::new(task), answer)
}

struct Task<T, F> {
    access: Access,
    work: Option<F>,
    result: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send + 'static,
    F: FnOnce(&mut dyn Conn) -> Result<T> + Send + 'static,
{
    fn access(&self) -> Access {
        self.access
    }

    fn run(&mut self, conn: &mut dyn Conn) -> JobOutcome {
        let Some(work) = self.work.take() else {
            return JobOutcome::Failed;
        };
        let mut guarded = GuardedConn {
            conn,
            first_error: None,
        };
        // The connection survives an unwinding job: its transaction is rolled back.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut guarded)));
        let result = match (outcome, guarded.first_error) {
            (Err(panic), _) => Err(panic_error(panic.as_ref())),
            (Ok(Ok(_)), Some(swallowed)) => Err(swallowed),
            (Ok(result), _) => result,
        };
        let ended = match &result {
            Ok(_) => JobOutcome::Done,
            Err(_) => JobOutcome::Failed,
        };
        self.result = Some(result);
        ended
    }

    fn answer(self: Box<Self>) {
        let result = self
            .result
            .unwrap_or_else(|| Err(StoreError::Internal("answered before it ran".to_owned())));
        // A caller that has gone away does not need the answer.
        let _ = self.reply.send(result);
    }

    fn answer_failed(self: Box<Self>, error: StoreError) {
        let own = self.result.and_then(Result::err);
        let _ = self.reply.send(Err(own.unwrap_or(error)));
    }
}

fn panic_error(panic: &(dyn Any + Send)) -> StoreError {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    StoreError::Internal(format!("a job panicked: {message}"))
}

/// The connection that a job uses. It rejects values that one of the databases cannot hold. After the first error it rejects
/// every statement, so that a swallowed error cannot lead to half a transaction.
struct GuardedConn<'c> {
    conn: &'c mut dyn Conn,
    first_error: Option<StoreError>,
}

impl GuardedConn<'_> {
    fn run<T>(&mut self, statement: impl FnOnce(&mut dyn Conn) -> Result<T>) -> Result<T> {
        if let Some(error) = &self.first_error {
            return Err(error.clone());
        }
        statement(self.conn).inspect_err(|error| self.first_error = Some(error.clone()))
    }
}

impl Conn for GuardedConn<'_> {
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        self.run(|conn| {
            reject_nul(params)?;
            conn.execute(sql, params)
        })
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.run(|conn| {
            reject_nul(params)?;
            conn.query(sql, params, each)
        })
    }

    fn stream(&mut self, sql: &str, each: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        self.run(|conn| conn.stream(sql, each))
    }

    fn execute_later(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        self.run(|conn| {
            reject_nul(params)?;
            conn.execute_later(sql, params)
        })
    }

    fn insert_later(&mut self, sql: &str, width: usize, values: &[Value<'_>]) -> Result<()> {
        self.run(|conn| {
            reject_nul(values)?;
            conn.insert_later(sql, width, values)
        })
    }

    fn query_together(&mut self, queries: &mut [&mut dyn Query<'_>]) -> Result<()> {
        self.run(|conn| {
            for query in queries.iter() {
                reject_nul(&query.params())?;
            }
            conn.query_together(queries)
        })
    }

    fn execute_script(&mut self, sql: &str) -> Result<()> {
        self.run(|conn| conn.execute_script(sql))
    }

    fn dialect(&self) -> Dialect {
        self.conn.dialect()
    }
}
