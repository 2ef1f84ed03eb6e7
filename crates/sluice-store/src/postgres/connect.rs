//! How a connection is made: address, TLS and settings.

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

use super::{errors::connect_error, settings, ssl_mode, tls};
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

/// After a connection could not be made, jobs fail at once for this long before the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Makes connections to one database.
pub(super) struct Connector {
    direct: Address,
    /// Of a pooler that gives a client another session for each transaction.
    pooler: Option<Address>,
    /// The beginning of the names of all sessions.
    name: String,
    sessions: AtomicU64,
    /// Of all workers, so that the first to find the database back lets the others know.
    attempts: Mutex<Attempts>,
}

/// Where to connect, and how.
struct Address {
    config: Config,
    /// For a connection, until it accepts requests.
    timeout: Duration,
    /// `None` with `sslmode=disable`.
    tls: Option<MakeRustlsConnect>,
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
    pub(super) fn new(url: &str, pooler: Option<&str>, incarnation: &str) -> Result<Connector> {
        let direct = Address::parse(url)?;
        let program = direct.config.get_application_name().unwrap_or("sluice");
        let name = format!("{program} {incarnation} ");
        if name.len() + 10 > MAX_NAME_BYTES {
            return Err(StoreError::Unusable(format!(
                "bad database address: application_name \"{program}\" is too long"
            )));
        }
        Ok(Connector {
            direct,
            pooler: pooler.map(Address::parse).transpose()?,
            name,
            sessions: AtomicU64::new(0),
            attempts: Mutex::default(),
        })
    }

    /// The beginning of the names of all sessions.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether each transaction may get another session. Heartbeats are always direct: they must not wait for others.
    pub(super) fn is_pooled(&self, access: Access) -> bool {
        self.pooler.is_some() && access != Access::Heartbeat
    }

    /// Connects to the primary and prepares the session.
    pub(super) async fn connect(&self, access: Access) -> Result<Connection> {
        let pooler = self.pooler.as_ref().filter(|_| self.is_pooled(access));
        let connect = async {
            if let Some(pooler) = pooler {
                return self.open_at(pooler).await;
            }
            let connection = self.open().await?;
            let settings = settings::of_session(access);
            connection.client.batch_execute(&settings).await?;
            Ok::<_, Error>(connection)
        };
        let limit = match access {
            Access::Heartbeat => HEARTBEAT_TIMEOUT,
            Access::Read | Access::Write | Access::Commit => pooler.unwrap_or(&self.direct).timeout,
        };
        match timeout(limit, connect).await {
            Ok(connected) => connected.map_err(|error| connect_error(&error)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "cannot connect to PostgreSQL: no answer within {limit:?}"
            ))),
        }
    }

    /// Connects directly, without settings for the session. The caller limits the time.
    pub(super) async fn open(&self) -> Result<Connection, Error> {
        self.open_at(&self.direct).await
    }

    async fn open_at(&self, address: &Address) -> Result<Connection, Error> {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{number}", self.name);
        let mut config = address.config.clone();
        config.application_name(&name);
        match &address.tls {
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

impl Address {
    fn parse(url: &str) -> Result<Address> {
        // The parser's error names the bad parameter and does not repeat the address, which may
        // hold a password.
        let mut config: Config = ssl_mode::normalized(url)?
            .parse()
            .map_err(|error| StoreError::Unusable(format!("bad database address: {error}")))?;
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
        Ok(Address {
            timeout: per_host.unwrap_or(CONNECT_TIMEOUT) * hosts,
            config,
            tls,
        })
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
