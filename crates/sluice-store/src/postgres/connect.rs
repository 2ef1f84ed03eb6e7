//! How a connection is made: address, TLS and session settings.

use std::time::{Duration, Instant};

use ::postgres::{Config, NoTls, config::SslMode};
use parking_lot::Mutex;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{conn::PostgresConn, errors::connect_error, tls};
use crate::error::{Result, StoreError};

/// When the address sets none: how long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// When the address sets none: how long sent bytes may go unacknowledged before the connection
/// counts as lost. The kernel's own limit is a quarter of an hour.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// An answered write must be on the server's disk, whatever its default is. No statement runs for so long that compiling it
/// would pay, which takes longer than the longest of them.
const SESSION: &str =
    "SET synchronous_commit = on; SET client_min_messages = warning; SET jit = off";

/// After a connection could not be made, jobs fail at once for this long before the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Makes connections to one database.
pub(super) struct Connector {
    config: Config,
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

impl Connector {
    pub(super) fn new(url: &str) -> Result<Connector> {
        // The parser's error names the bad parameter and does not repeat the address, which may
        // hold a password.
        let mut config: Config = url
            .parse()
            .map_err(|error| StoreError::Unusable(format!("bad database address: {error}")))?;
        if config.get_application_name().is_none() {
            config.application_name("sluice");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SEND_TIMEOUT);
        }
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            SslMode::Prefer => Some(tls::unauthenticated()?),
            // `require`, and any stricter mode the driver may learn.
            _ => Some(tls::verified()?),
        };
        Ok(Connector {
            config,
            tls,
            attempts: Mutex::default(),
        })
    }

    /// Blocks; not for async threads.
    pub(super) fn connect(&self) -> Result<PostgresConn> {
        let connected = match &self.tls {
            None => self.config.connect(NoTls),
            Some(tls) => self.config.connect(tls.clone()),
        };
        let mut client = connected.map_err(|error| connect_error(&error))?;
        client
            .batch_execute(SESSION)
            .map_err(|error| connect_error(&error))?;
        Ok(PostgresConn::new(client))
    }

    /// For a worker without a connection, after the store was opened.
    pub(super) fn connect_again(&self) -> Result<PostgresConn> {
        if let Some((at, error)) = &self.attempts.lock().failed
            && at.elapsed() < RETRY_AFTER
        {
            return Err(error.clone());
        }
        let begun = Instant::now();
        let connected = self.connect();
        let mut attempts = self.attempts.lock();
        match connected {
            Ok(conn) => {
                attempts.succeeded = Some(Instant::now());
                attempts.failed = None;
                Ok(conn)
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
