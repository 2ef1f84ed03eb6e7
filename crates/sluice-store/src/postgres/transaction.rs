//! A transaction as the connection that a job uses. It sends as rarely as it can.

use tokio_postgres::types::Type;

use super::{
    encode::{Encoded, arrays, parameters},
    errors::{begin_error, is_lost, store_error},
    flight::{Answer, Answers, Flight, Form, Request},
    session::{Link, Session},
};
use crate::{
    conn::{Conn, Dialect, Query},
    error::{Result, StoreError},
    row::Row,
    value::Value,
};

/// Parameters of one statement, and of all deferred statements.
const MAX_STATEMENT_BYTES: usize = 8 * 1024 * 1024;
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

pub(super) struct Transaction<'w> {
    link: &'w Link,
    session: Session,
    /// The connection was idle before. If it turns out to be lost, it is replaced.
    was_idle: bool,
    state: State,
    /// Deferred statements.
    queue: Vec<Request>,
    queued_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing was sent yet.
    Unsent,
    Open,
    /// Committed or rolled back. The connection can be used again.
    Ended,
    /// The server does not begin transactions: it is a standby now, or about to stop. The connection is given up.
    Refused,
}

impl<'w> Transaction<'w> {
    /// It begins with its first query.
    pub(super) fn new(link: &'w Link, session: Session, was_idle: bool) -> Transaction<'w> {
        Transaction {
            link,
            session,
            was_idle,
            state: State::Unsent,
            queue: Vec::new(),
            queued_bytes: 0,
        }
    }

    /// Sends the deferred statements and commits. Without any statement there is nothing to send.
    pub(super) fn commit(&mut self) -> Result<()> {
        if self.state == State::Unsent && self.queue.is_empty() {
            self.state = State::Ended;
            return Ok(());
        }
        self.send(Some("COMMIT")).map(drop)
    }

    /// Sends the deferred statements, so that their errors are known.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.queue.is_empty() {
            return Ok(());
        }
        self.send(None).map(drop)
    }

    pub(super) fn roll_back(&mut self) {
        self.queue.clear();
        match self.state {
            State::Unsent => self.state = State::Ended,
            State::Open => {
                if let Err(error) = self.send(Some("ROLLBACK")) {
                    tracing::debug!(%error, "rollback failed");
                }
            }
            State::Ended | State::Refused => {}
        }
    }

    /// The connection, if it can be used again.
    pub(super) fn into_session(self) -> Option<Session> {
        (self.state == State::Ended).then_some(self.session)
    }

    /// Sends everything that is waiting and returns the answers.
    fn send(&mut self, end: Option<&'static str>) -> Result<Vec<Answer>> {
        let begin = match self.state {
            State::Unsent => Some(self.link.begin()),
            State::Open => None,
            State::Ended | State::Refused => {
                return Err(StoreError::Internal("the transaction has ended".to_owned()));
            }
        };
        if self.was_idle && !self.link.is_open(&self.session) {
            self.replace_connection()?;
        }
        self.state = State::Open;
        let mut answers = self.send_once(begin.as_deref(), end);
        if self.was_idle && is_undone(&answers, end) {
            self.replace_connection()?;
            answers = self.send_once(begin.as_deref(), end);
        }
        // From now on a lost connection is an error: the job may know rows that were read.
        self.was_idle = false;
        self.queue.clear();
        self.queued_bytes = 0;
        if end.is_some() && answers.end.is_ok() {
            self.state = State::Ended;
        }
        if let Err(error) = &answers.begin {
            self.state = State::Refused;
            return Err(begin_error(error));
        }
        answers.into_result().map_err(|error| store_error(&error))
    }

    /// For a connection that was lost while it was idle. Nothing of this transaction can have been committed on it.
    fn replace_connection(&mut self) -> Result<()> {
        self.session = self.link.connect_again()?;
        self.was_idle = false;
        let session = &mut self.session;
        self.queue
            .iter_mut()
            .try_for_each(|request| session.prepare_again(self.link, request))
    }

    fn send_once(&self, begin: Option<&str>, end: Option<&'static str>) -> Answers {
        let flight = Flight {
            begin,
            requests: &self.queue,
            end,
        };
        let sent = flight.send(self.session.client());
        self.link.round_trip(&self.session, self.queued_bytes, sent)
    }

    fn defer(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        self.enqueue(sql, Form::Single, &|types| parameters(types, params))
    }

    fn enqueue(
        &mut self,
        sql: &str,
        form: Form,
        encode: &dyn Fn(&[Type]) -> Result<Vec<Encoded>>,
    ) -> Result<()> {
        let mut request = self.session.request(self.link, sql, form, encode);
        // A statement that is prepared may be the first to meet a lost connection.
        if self.was_idle && matches!(request, Err(StoreError::Unavailable(_))) {
            self.replace_connection()?;
            request = self.session.request(self.link, sql, form, encode);
        }
        let request = request?;
        self.queued_bytes += request.params.iter().map(Encoded::size).sum::<usize>();
        self.queue.push(request);
        // A huge commit takes more round trips instead of more memory.
        if self.queued_bytes > MAX_QUEUED_BYTES {
            self.send(None)?;
        }
        Ok(())
    }

    /// Sends one statement and all that wait, and returns the answer to that one.
    fn ask(&mut self, sql: &str, params: &[Value<'_>]) -> Result<Answer> {
        self.defer(sql, params)?;
        let answer = self.send(None)?.pop();
        answer.ok_or_else(|| StoreError::Internal("a statement without an answer".to_owned()))
    }
}

/// How many values the first rows have that fit into one statement; one row at least.
fn first_rows(width: usize, values: &[Value<'_>]) -> usize {
    let mut bytes = 0;
    for (index, value) in values.iter().enumerate() {
        bytes += value.size();
        if bytes > MAX_STATEMENT_BYTES && index >= width {
            return index - index % width;
        }
    }
    values.len()
}

/// Whether the connection was lost, and nothing of the transaction that began on it can have been committed: either no
/// `COMMIT` was sent, or the server itself rejected the beginning, because it had ended the session.
fn is_undone(answers: &Answers, end: Option<&'static str>) -> bool {
    let begin = answers.begin.as_ref().err();
    let first = begin.or(answers.requests.as_ref().err());
    let rejected = begin.is_some_and(|error| error.code().is_some());
    first.is_some_and(is_lost) && (end.is_none() || rejected)
}

impl Conn for Transaction<'_> {
    fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        Ok(self.ask(sql, params)?.changed)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let answer = self.ask(sql, params)?;
        answer.rows.iter().try_for_each(|row| each(&Row::new(row)))
    }

    fn stream(&mut self, sql: &str, each: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        self.send(None)?;
        self.link.stream(&self.session, sql, each)
    }

    fn execute_later(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        self.defer(sql, params)
    }

    fn insert_later(&mut self, sql: &str, width: usize, values: &[Value<'_>]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        // One statement, unless its parameters are huge.
        let mut rest = values;
        while !rest.is_empty() {
            let (some, more) = rest.split_at(first_rows(width, rest));
            self.enqueue(sql, Form::Rows, &|types| arrays(types, width, some))?;
            rest = more;
        }
        Ok(())
    }

    fn query_together(&mut self, queries: &mut [&mut dyn Query<'_>]) -> Result<()> {
        for query in queries.iter() {
            self.defer(&query.sql(Dialect::Postgres), &query.params())?;
        }
        let mut answers = self.send(None)?;
        if answers.len() < queries.len() {
            return Err(StoreError::Internal("queries without an answer".to_owned()));
        }
        let own = answers.split_off(answers.len().saturating_sub(queries.len()));
        for (query, answer) in queries.iter_mut().zip(own) {
            for row in &answer.rows {
                query.row(&Row::new(row))?;
            }
        }
        Ok(())
    }

    fn execute_script(&mut self, sql: &str) -> Result<()> {
        self.send(None)?;
        let run = self.session.client().batch_execute(sql);
        self.link
            .round_trip(&self.session, sql.len(), run)
            .map_err(|error| store_error(&error))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}
