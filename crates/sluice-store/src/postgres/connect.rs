//! How a connection is made: address, TLS and session settings.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::{task::AbortHandle, time::timeout};
use tokio_postgres::{
    Client, Config, Error, NoTls, Socket,
    config::{SslMode, TargetSessionAttrs},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{errors::connect_error, ssl_mode, tls};
use crate::{
    error::{Result, StoreError},
    job::Access,
};

/// When the address sets none: how long to wait for a connection to one host, until it accepts requests.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// When the address sets none: how long sent bytes may go unacknowledged before the connection
/// counts as lost. The kernel's own limit is a quarter of an hour.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// For heartbeats: to connect, and for each answer.
pub(super) const HEARTBEAT_TIMEOUT: Duration = Duration::from_millis(900);

/// How long a connection may be silent before the kernel probes it, and the pause between probes. Three without an answer
/// end it.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(2);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// PostgreSQL cuts longer names of sessions.
const MAX_NAME_BYTES: usize = 63;

/// An answered write must be on the server's disk, whatever its default is. No statement runs for so long that compiling it
/// would pay, which takes longer than the longest of them.
///
/// Statements outside of a transaction are read-only: if `BEGIN` fails, those that were sent with it cannot be committed one
/// by one. The timeouts end transactions of a server that hangs or was cut off, so that others can go on.
const SESSION: &str = "SET synchronous_commit = on; SET client_min_messages = warning; SET jit = off; \
     SET default_transaction_read_only = on; SET statement_timeout = '2min'; \
     SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '10s'; \
     SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; \
     SET tcp_user_timeout = '5s'";

/// For commits. An inbox is empty now and full the next minute, so plans must not depend on its size: always by index, from
/// the given keys to the rows.
const COMMIT_SESSION: &str = "SET enable_seqscan = off; SET enable_hashjoin = off; \
     SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan";

/// After a connection could not be made, jobs fail at once for this long before the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Makes connections to one database.
pub(super) struct Connector {
    config: Config,
    /// The beginning of the names of all sessions.
    name: String,
    sessions: AtomicU64,
    /// For a connection, until it accepts requests.
    timeout: Duration,
    /// `None` with `sslmode=disable`.
    tls: Option<MakeRustlsConnect>,
    /// Of all workers, so that the first to find the database back lets the others know.
    attempts: Mutex<Attempts>,
}

/// The last attempts to connect again.
#[derive(Default)]
struct Attempts {
    succeeded: Option<Instant>,
    failed: Option<(Instant, StoreError)>,
}

/// A connection whose messages are driven by the runtime that made it.
pub(super) struct Connection {
    pub(super) client: Client,
    /// The name of its session on the server.
    pub(super) name: String,
    driver: AbortHandle,
}

impl Connection {
    /// Ends the connection without waiting for the server: pending requests fail.
    pub(super) fn abandon(&self) {
        self.driver.abort();
    }
}

impl Connector {
    /// `incarnation` tells sessions of this store from those of others.
    pub(super) fn new(url: &str, incarnation: &str) -> Result<Connector> {
        // The parser's error names the bad parameter and does not repeat the address, which may
        // hold a password.
        let mut config: Config = ssl_mode::normalized(url)?
            .parse()
            .map_err(|error| StoreError::Unusable(format!("bad database address: {error}")))?;
        let program = config.get_application_name().unwrap_or("sluice");
        let name = format!("{program} {incarnation} ");
        if name.len() + 10 > MAX_NAME_BYTES {
            return Err(StoreError::Unusable(format!(
                "bad database address: application_name \"{program}\" is too long"
            )));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SEND_TIMEOUT);
        }
        config
            .keepalives_idle(KEEPALIVE_IDLE)
            .keepalives_interval(KEEPALIVE_INTERVAL)
            .keepalives_retries(3);
        // Never a standby, which cannot write.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            SslMode::Prefer => Some(tls::unauthenticated()?),
            // `require`, and any stricter mode the driver may learn.
            _ => Some(tls::verified()?),
        };
        let per_host = config.get_connect_timeout().copied();
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(1).max(1);
        Ok(Connector {
            timeout: per_host.unwrap_or(CONNECT_TIMEOUT) * hosts,
            config,
            name,
            sessions: AtomicU64::new(0),
            tls,
            attempts: Mutex::default(),
        })
    }

    /// The beginning of the names of all sessions.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Connects to the primary and prepares the session.
    pub(super) async fn connect(&self, access: Access) -> Result<Connection> {
        let session = match access {
            Access::Read | Access::Write | Access::Heartbeat => SESSION.to_owned(),
            Access::Commit => format!("{SESSION}; {COMMIT_SESSION}"),
        };
        let connect = async {
            let connection = self.open().await?;
            connection.client.batch_execute(&session).await?;
            Ok::<_, Error>(connection)
        };
        let limit = match access {
            Access::Heartbeat => HEARTBEAT_TIMEOUT,
            Access::Read | Access::Write | Access::Commit => self.timeout,
        };
        match timeout(limit, connect).await {
            Ok(connected) => connected.map_err(|error| connect_error(&error)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "cannot connect to PostgreSQL: no answer within {limit:?}"
            ))),
        }
    }

    /// Connects without settings for the session. The caller limits the time.
    pub(super) async fn open(&self) -> Result<Connection, Error> {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{number}", self.name);
        let mut config = self.config.clone();
        config.application_name(&name);
        match &self.tls {
            None => open_with(&config, name, NoTls).await,
            Some(tls) => open_with(&config, name, tls.clone()).await,
        }
    }

    /// For a worker without a connection, after the store was opened.
    pub(super) async fn connect_again(&self, access: Access) -> Result<Connection> {
        if let Some((at, error)) = &self.attempts.lock().failed
            && at.elapsed() < RETRY_AFTER
        {
            return Err(error.clone());
        }
        let begun = Instant::now();
        let connected = self.connect(access).await;
        let mut attempts = self.attempts.lock();
        match connected {
            Ok(connection) => {
                attempts.succeeded = Some(Instant::now());
                attempts.failed = None;
                Ok(connection)
            }
            Err(error) => {
                tracing::warn!(%error, "database connection failed");
                // The database was usable when the store was opened, so it may be again.
                let error = StoreError::Unavailable(error.to_string());
                if attempts.succeeded.is_none_or(|succeeded| succeeded < begun) {
                    attempts.failed = Some((Instant::now(), error.clone()));
                }
                Err(error)
            }
        }
    }
}

async fn open_with<T>(config: &Config, name: String, tls: T) -> Result<Connection, Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await?;
    let driver = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "database connection lost");
        }
    });
    Ok(Connection {
        client,
        name,
        driver: driver.abort_handle(),
    })
}
