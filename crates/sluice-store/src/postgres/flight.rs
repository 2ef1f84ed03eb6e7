//! Statements that are sent together: one round trip for all of them.
//!
//! The driver sends a request when its future is first polled, and the server answers in the order of requests. So all
//! futures are polled once, in order, and then their answers are awaited in order.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use futures_util::{
    StreamExt,
    future::{MaybeDone, maybe_done},
};
use tokio_postgres::{Client, Error, Row, Statement};

use super::encode::Encoded;

/// How a statement takes its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// One value each.
    Single,
    /// One array of values each: an `INSERT` of many rows.
    Rows,
}

/// A statement with its parameters. The text is kept to prepare it again on another connection.
pub(super) struct Request {
    pub(super) sql: Arc<str>,
    pub(super) form: Form,
    pub(super) statement: Statement,
    pub(super) params: Vec<Encoded>,
}

/// The result of one statement.
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    pub(super) changed: u64,
}

/// Requests between the beginning and the end of a transaction, if those are part of it.
pub(super) struct Flight<'f> {
    pub(super) begin: Option<&'f str>,
    pub(super) requests: &'f [Request],
    pub(super) end: Option<&'static str>,
}

pub(super) struct Answers {
    pub(super) begin: Result<(), Error>,
    pub(super) requests: Result<Vec<Answer>, Error>,
    pub(super) end: Result<(), Error>,
}

impl Answers {
    /// All answers. The first error is the reason of those that follow it. `COMMIT` succeeds after an error, but it rolls
    /// back.
    pub(super) fn into_result(self) -> Result<Vec<Answer>, Error> {
        self.begin?;
        let answers = self.requests?;
        self.end?;
        Ok(answers)
    }
}

impl Flight<'_> {
    pub(super) async fn send(&self, client: &Client) -> Answers {
        let mut begin = pin!(maybe_done(simple(client, self.begin)));
        let mut requests: Vec<_> = self
            .requests
            .iter()
            .map(|request| Box::pin(maybe_done(run(client, request))))
            .collect();
        let mut end = pin!(maybe_done(simple(client, self.end)));
        poll_fn(|context| {
            let _ = begin.as_mut().poll(context);
            for request in &mut requests {
                let _ = request.as_mut().poll(context);
            }
            let _ = end.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        let begin = answer(begin).await;
        let mut answers = Ok(Vec::with_capacity(requests.len()));
        for mut request in requests {
            let answered = answer(request.as_mut()).await;
            answers = match (answers, answered) {
                (Ok(mut answers), Ok(answer)) => {
                    answers.push(answer);
                    Ok(answers)
                }
                (Ok(_), Err(error)) => Err(error),
                (failed @ Err(_), _) => failed,
            };
        }
        Answers {
            begin,
            requests: answers,
            end: answer(end).await,
        }
    }
}

/// The output of a future that was polled before.
async fn answer<F, T>(mut future: Pin<&mut MaybeDone<F>>) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    loop {
        future.as_mut().await;
        if let Some(output) = future.as_mut().take_output() {
            return output;
        }
    }
}

async fn simple(client: &Client, sql: Option<&str>) -> Result<(), Error> {
    match sql {
        Some(sql) => client.batch_execute(sql).await,
        None => Ok(()),
    }
}

async fn run(client: &Client, request: &Request) -> Result<Answer, Error> {
    let answered = client
        .query_raw(&request.statement, &request.params)
        .await?;
    let mut answered = pin!(answered);
    let mut rows = Vec::new();
    while let Some(row) = answered.next().await {
        rows.push(row?);
    }
    let changed = answered.rows_affected().unwrap_or(0);
    Ok(Answer { rows, changed })
}
