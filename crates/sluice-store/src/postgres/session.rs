//! A connection with its prepared statements, and the link of a worker to the database.

use std::{
    collections::HashMap,
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt;
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_postgres::{Client, Statement, types::Type};

use super::{
    bulk::unnested,
    connect::{Connection, Connector, HEARTBEAT_TIMEOUT},
    encode::Encoded,
    errors::store_error,
    flight::{Form, Request},
    placeholders::translate,
    probe::{self, Finding, Probe},
    settings,
};
use crate::{
    error::{Result, StoreError},
    job::Access,
    row::Row,
};

/// More than the query modules have. Reached only by SQL made at run time; then all go at once.
const CACHED_STATEMENTS: usize = 1_024;

/// A large request gets more time before its connection is probed: the slowest network carries this much in a second.
const BYTES_PER_SECOND: usize = 1024 * 1024;

/// A connection whose session was found idle so often, while its client waits, is lost.
const IDLE_FINDINGS: usize = 2;

/// The same behind a pooler, where a request may wait for a session first.
const POOLED_IDLE_FINDINGS: usize = 6;

/// The way of one thread to the database.
pub(super) struct Link {
    connector: Arc<Connector>,
    probe: Arc<Probe>,
    access: Access,
    /// Begins a transaction.
    begin: Arc<str>,
    /// Drives the connection while this thread waits for an answer.
    runtime: Runtime,
    round_trips: Arc<AtomicU64>,
}

impl Link {
    pub(super) fn new(
        connector: Arc<Connector>,
        probe: Arc<Probe>,
        access: Access,
        round_trips: Arc<AtomicU64>,
    ) -> Result<Link> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let begin = if connector.is_pooled(access) {
            settings::begin_pooled(access).into()
        } else {
            settings::begin(access).into()
        };
        Ok(Link {
            connector,
            probe,
            access,
            begin,
            runtime: runtime
                .map_err(|error| StoreError::Unavailable(format!("no runtime: {error}")))?,
            round_trips,
        })
    }

    /// The statements that begin a transaction.
    pub(super) fn begin(&self) -> Arc<str> {
        Arc::clone(&self.begin)
    }

    /// Connects for the first time: an operator learns what is wrong.
    pub(super) fn connect(&self) -> Result<Session> {
        let connect = self.connector.connect(self.access);
        Ok(Session::new(self.runtime.block_on(connect)?))
    }

    /// Replaces a connection.
    pub(super) fn connect_again(&self) -> Result<Session> {
        let connect = self.connector.connect_again(self.access);
        Ok(Session::new(self.runtime.block_on(connect)?))
    }

    /// Waits for answers to requests that are sent together, `bytes` in all. If the connection is lost without a sign, they
    /// fail.
    pub(super) fn round_trip<T>(
        &self,
        session: &Session,
        bytes: usize,
        requests: impl Future<Output = T>,
    ) -> T {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let mut requests = pin!(requests);
        if self.access == Access::Heartbeat {
            let answered = async { timeout(HEARTBEAT_TIMEOUT, requests.as_mut()).await };
            return self.runtime.block_on(answered).unwrap_or_else(|_| {
                session.connection.abandon();
                self.runtime.block_on(requests)
            });
        }
        let mut patience = probe::PATIENCE + Duration::from_secs((bytes / BYTES_PER_SECOND) as u64);
        let mut idle_findings = 0;
        let most_findings = if self.connector.is_pooled(self.access) {
            POOLED_IDLE_FINDINGS
        } else {
            IDLE_FINDINGS
        };
        loop {
            let answered = async { timeout(patience, requests.as_mut()).await };
            if let Ok(answers) = self.runtime.block_on(answered) {
                return answers;
            }
            let name = &session.connection.name;
            match self.probe.session(&self.runtime, &self.connector, name) {
                Finding::Working => idle_findings = 0,
                Finding::Idle => idle_findings += 1,
                Finding::Silent => idle_findings = most_findings,
            }
            if idle_findings == most_findings {
                tracing::warn!(session = %name, "database connection does not respond; closed");
                session.connection.abandon();
                return self.runtime.block_on(requests);
            }
            patience = probe::INTERVAL;
        }
    }

    /// Runs a query and hands its rows to `each` as they arrive. The server waits while `each` works.
    pub(super) fn stream(
        &self,
        session: &Session,
        sql: &str,
        each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let parameters: [&str; 0] = [];
        let query = session.client().query_raw(sql, parameters);
        let rows = self.runtime.block_on(query);
        let mut rows = pin!(rows.map_err(|error| store_error(&error))?);
        while let Some(row) = self.runtime.block_on(rows.next()) {
            each(&Row::new(&row.map_err(|error| store_error(&error))?))?;
        }
        Ok(())
    }

    /// Whether an idle connection is still there. Handles what arrived while no one waited, such as its end.
    pub(super) fn is_open(&self, session: &Session) -> bool {
        self.drive();
        !session.client().is_closed()
    }

    /// Lets the connection take a few steps: the runtime learns of arrived bytes, and the connection reads them.
    pub(super) fn drive(&self) {
        self.runtime.block_on(async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
        });
    }
}

pub(super) struct Session {
    connection: Connection,
    statements: HashMap<(Arc<str>, Form), Prepared>,
}

#[derive(Clone)]
struct Prepared {
    statement: Statement,
    /// Of its parameters, or of the elements of its arrays.
    types: Arc<[Type]>,
}

impl Session {
    fn new(connection: Connection) -> Session {
        Session {
            connection,
            statements: HashMap::new(),
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.connection.client
    }

    /// A request with parameters that `encode` makes for the types of the statement.
    pub(super) fn request(
        &mut self,
        link: &Link,
        sql: &str,
        form: Form,
        encode: &dyn Fn(&[Type]) -> Result<Vec<Encoded>>,
    ) -> Result<Request> {
        let sql: Arc<str> = sql.into();
        let Prepared { statement, types } = self.prepared(link, &sql, form)?;
        Ok(Request {
            params: encode(&types)?,
            sql,
            form,
            statement,
        })
    }

    /// The statement of a request that was made for another connection.
    pub(super) fn prepare_again(&mut self, link: &Link, request: &mut Request) -> Result<()> {
        request.statement = self.prepared(link, &request.sql, request.form)?.statement;
        Ok(())
    }

    fn prepared(&mut self, link: &Link, sql: &Arc<str>, form: Form) -> Result<Prepared> {
        let key = (Arc::clone(sql), form);
        if let Some(prepared) = self.statements.get(&key) {
            return Ok(prepared.clone());
        }
        let prepared = match form {
            Form::Single => {
                let statement = self.prepare(link, &translate(sql))?;
                let types = statement.params().into();
                Prepared { statement, types }
            }
            Form::Rows => {
                // The server knows the types of the columns.
                let types = self.prepared(link, sql, Form::Single)?.types;
                let statement = self.prepare(link, &unnested(sql, &types)?)?;
                Prepared { statement, types }
            }
        };
        if self.statements.len() >= CACHED_STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(key, prepared.clone());
        Ok(prepared)
    }

    fn prepare(&self, link: &Link, sql: &str) -> Result<Statement> {
        link.round_trip(self, sql.len(), self.client().prepare(sql))
            .map_err(|error| store_error(&error))
    }
}
