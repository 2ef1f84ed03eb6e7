//! A connection with its prepared statements, and the link of a worker to the database.

use std::{
    collections::HashMap,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Statement, types::Type};

use super::{
    bulk::unnested,
    connect::Connector,
    encode::Encoded,
    errors::store_error,
    flight::{Form, Request},
    placeholders::translate,
};
use crate::{
    error::{Result, StoreError},
    job::Access,
};

/// More than the query modules have. Reached only by SQL made at run time; then all go at once.
const CACHED_STATEMENTS: usize = 1_024;

/// The way of one thread to the database.
pub(super) struct Link {
    connector: Arc<Connector>,
    access: Access,
    /// Drives the connection while this thread waits for an answer.
    runtime: Runtime,
    round_trips: Arc<AtomicU64>,
}

impl Link {
    pub(super) fn new(
        connector: Arc<Connector>,
        access: Access,
        round_trips: Arc<AtomicU64>,
    ) -> Result<Link> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Link {
            connector,
            access,
            runtime: runtime
                .map_err(|error| StoreError::Unavailable(format!("no runtime: {error}")))?,
            round_trips,
        })
    }

    /// Connects for the first time: an operator learns what is wrong.
    pub(super) fn connect(&self) -> Result<Session> {
        let client = self.runtime.block_on(self.connector.connect(self.access))?;
        Ok(Session::new(client))
    }

    /// Replaces a connection.
    pub(super) fn connect_again(&self) -> Result<Session> {
        let client = self
            .runtime
            .block_on(self.connector.connect_again(self.access))?;
        Ok(Session::new(client))
    }

    /// Waits for answers to requests that are sent together.
    pub(super) fn round_trip<T>(&self, requests: impl Future<Output = T>) -> T {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.runtime.block_on(requests)
    }

    /// Whether an idle connection is still there. Handles what arrived while no one waited, such as its end.
    pub(super) fn is_open(&self, session: &Session) -> bool {
        self.drive();
        !session.client.is_closed()
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
    pub(super) client: Client,
    statements: HashMap<(Arc<str>, Form), Prepared>,
}

#[derive(Clone)]
struct Prepared {
    statement: Statement,
    /// Of its parameters, or of the elements of its arrays.
    types: Arc<[Type]>,
}

impl Session {
    fn new(client: Client) -> Session {
        Session {
            client,
            statements: HashMap::new(),
        }
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
        link.round_trip(self.client.prepare(sql))
            .map_err(|error| store_error(&error))
    }
}
