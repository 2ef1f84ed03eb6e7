//! One server for each database: a session of its own holds an advisory lock for as long as the server runs. When that
//! session is lost, the lock is taken again. If another server has it by then, this one may not go on.

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Runtime},
    sync::watch,
    time::timeout,
};
use tokio_postgres::Error;

use super::{
    connect::{Connection, Connector},
    errors::store_error,
};
use crate::{
    driver::{DatabaseLock, spawn},
    error::{Result, StoreError},
    job::Access,
};

/// Any number that no other program is likely to lock.
const LOCK: i64 = 7_356_114_902_317;

/// How long to wait for the end of the session of a server that was just stopped.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(50);

/// How often the session is checked, and how long the server may take to answer.
const INTERVAL: Duration = Duration::from_secs(1);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Ends sessions of this store that still hold the lock: the server has not noticed that they are lost.
const END_LOST_SESSIONS: &str = "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a \
     JOIN pg_locks l ON l.pid = a.pid WHERE l.locktype = 'advisory' AND l.granted \
     AND starts_with(a.application_name, $1) AND a.pid <> pg_backend_pid()";

pub(super) struct ExclusiveLock {
    runtime: Runtime,
    connector: Arc<Connector>,
    connection: Option<Connection>,
}

impl ExclusiveLock {
    pub(super) fn take(connector: &Arc<Connector>) -> Result<ExclusiveLock> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let mut lock = ExclusiveLock {
            runtime: runtime
                .map_err(|error| StoreError::Unavailable(format!("no runtime: {error}")))?,
            connector: Arc::clone(connector),
            connection: None,
        };
        lock.acquire()?;
        Ok(lock)
    }

    /// Holds the lock in a thread.
    pub(super) fn keep(self) -> Result<DatabaseLock> {
        let (stop, stopped) = mpsc::channel();
        let (is_lost, lost) = watch::channel(false);
        let thread = spawn("store-lock", move || self.hold(&stopped, &is_lost))?;
        Ok(DatabaseLock::new(stop, thread, lost))
    }

    /// Holds the lock until `stop` is closed. Sets `lost` when another server has the lock.
    fn hold(mut self, stop: &Receiver<()>, lost: &watch::Sender<bool>) {
        while stop.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if self.is_held() {
                continue;
            }
            self.connection = None;
            match self.acquire() {
                Ok(()) => tracing::info!("database lock taken again"),
                Err(StoreError::Unusable(error)) => {
                    tracing::error!(%error, "database lock lost");
                    lost.send_replace(true);
                    return;
                }
                Err(error) => tracing::warn!(%error, "cannot take the database lock; retrying"),
            }
        }
    }

    fn is_held(&self) -> bool {
        let Some(connection) = &self.connection else {
            return false;
        };
        let asked =
            async { timeout(ANSWER_TIMEOUT, connection.client.simple_query("SELECT 1")).await };
        let answered = matches!(self.runtime.block_on(asked), Ok(Ok(_)));
        if !answered {
            connection.abandon();
        }
        answered
    }

    fn acquire(&mut self) -> Result<()> {
        let acquire = acquire(&self.connector);
        self.connection = Some(self.runtime.block_on(acquire)?);
        Ok(())
    }
}

async fn acquire(connector: &Connector) -> Result<Connection> {
    let connection = connector.connect(Access::Write).await?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let locked = timeout(ANSWER_TIMEOUT, try_lock(connector, &connection)).await;
        let locked = locked.map_err(|_| StoreError::Unavailable("no answer in time".to_owned()))?;
        match locked.map_err(|error| store_error(&error))? {
            true => return Ok(connection),
            false if Instant::now() < deadline => tokio::time::sleep(RETRY).await,
            false => {
                return Err(StoreError::Unusable(
                    "the database is in use by another server".to_owned(),
                ));
            }
        }
    }
}

async fn try_lock(connector: &Connector, connection: &Connection) -> Result<bool, Error> {
    let client = &connection.client;
    client
        .query(END_LOST_SESSIONS, &[&connector.name()])
        .await?;
    let row = client
        .query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK])
        .await?;
    Ok(row.get(0))
}
