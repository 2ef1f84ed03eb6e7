//! How a connection is made: address, TLS and session settings.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio_postgres::{
    Client, Config, NoTls, Socket,
    config::{SslMode, TargetSessionAttrs},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{errors::connect_error, tls};
use crate::{
    error::{Result, StoreError},
    job::Access,
};

/// When the address sets none: how long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// When the address sets none: how long sent bytes may go unacknowledged before the connection
/// counts as lost. The kernel's own limit is a quarter of an hour.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection may be silent before the kernel probes it, and the pause between probes. Three without an answer
/// end it.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// An answered write must be on the server's disk, whatever its default is. No statement runs for so long that compiling it
/// would pay, which takes longer than the longest of them.
///
/// Statements outside of a transaction are read-only: if `BEGIN` fails, those that were sent with it cannot be committed one
/// by one. The timeouts end transactions of a server that hangs, so that others can go on.
const SESSION: &str = "SET synchronous_commit = on; SET client_min_messages = warning; SET jit = off; \
     SET default_transaction_read_only = on; SET statement_timeout = '2min'; \
     SET lock_timeout = '15s'; SET idle_in_transaction_session_timeout = '1min'";

/// For commits. An inbox is empty now and full the next minute, so plans must not depend on its size: always by index, from
/// the given keys to the rows.
const COMMIT_SESSION: &str = "SET enable_seqscan = off; SET enable_hashjoin = off; \
     SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan";

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
        Ok(Connector {
            config,
            tls,
            attempts: Mutex::default(),
        })
    }

    /// A client whose connection is driven by the runtime that polls this.
    pub(super) async fn connect(&self, access: Access) -> Result<Client> {
        let client = match &self.tls {
            None => self.connect_with(NoTls).await?,
            Some(tls) => self.connect_with(tls.clone()).await?,
        };
        let session = match access {
            Access::Read | Access::Write => SESSION.to_owned(),
            Access::Commit => format!("{SESSION}; {COMMIT_SESSION}"),
        };
        let set = client.batch_execute(&session).await;
        set.map_err(|error| connect_error(&error))?;
        Ok(client)
    }

    async fn connect_with<T>(&self, tls: T) -> Result<Client>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let connected = self.config.connect(tls).await;
        let (client, connection) = connected.map_err(|error| connect_error(&error))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "database connection lost");
            }
        });
        Ok(client)
    }

    /// For a worker without a connection, after the store was opened.
    pub(super) async fn connect_again(&self, access: Access) -> Result<Client> {
        if let Some((at, error)) = &self.attempts.lock().failed
            && at.elapsed() < RETRY_AFTER
        {
            return Err(error.clone());
        }
        let begun = Instant::now();
        let connected = self.connect(access).await;
        let mut attempts = self.attempts.lock();
        match connected {
            Ok(client) => {
                attempts.succeeded = Some(Instant::now());
                attempts.failed = None;
                Ok(client)
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
