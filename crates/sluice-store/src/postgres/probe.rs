//! Finding out whether the server still works on a request that takes long, or the connection was lost without a sign: a
//! proxy or a firewall that drops packets may keep it open for ever.
//!
//! A new connection asks which sessions of this store are at work. All waiting threads share the answer. A request that is
//! slow or waits for a lock is left alone.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::{runtime::Runtime, time::timeout};
use tokio_postgres::{Error, error::SqlState};

use super::connect::Connector;

/// How long a request waits before the first probe, and the time between two probes.
pub(super) const PATIENCE: Duration = Duration::from_millis(1_500);
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// A server that is there accepts a connection and answers within this time.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Sessions that wait for their client are not at work, unless they send a long answer. Without `track_activities` all count.
const AT_WORK: &str = "SELECT application_name FROM pg_stat_activity \
     WHERE state IN ('active', 'disabled') AND starts_with(application_name, $1) \
     AND (wait_event_type IS DISTINCT FROM 'Client' OR wait_event = 'ClientWrite')";

/// The last answer, for all threads of a store.
#[derive(Default)]
pub(super) struct Probe {
    last: Mutex<Option<(Instant, Answer)>>,
}

enum Answer {
    /// The names of sessions.
    AtWork(HashSet<String>),
    /// The server is there and has no connection to spare.
    Full,
    Silent,
}

/// The state of a session whose client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Working,
    /// It waits for its client, or is gone. Its answer may be on the way.
    Idle,
    /// The server does not respond.
    Silent,
}

impl Probe {
    /// The state of the session with this name.
    pub(super) fn session(&self, runtime: &Runtime, connector: &Connector, name: &str) -> Finding {
        // Held while asking: the other threads wait for the same answer.
        let mut last = self.last.lock();
        if last.as_ref().is_none_or(|(at, _)| at.elapsed() >= INTERVAL) {
            let asked = async { timeout(PROBE_TIMEOUT, ask(connector)).await };
            let answer = runtime.block_on(asked);
            *last = Some((Instant::now(), answer.unwrap_or(Answer::Silent)));
        }
        match last.as_ref().map(|(_, answer)| answer) {
            Some(Answer::AtWork(names)) if !names.contains(name) => Finding::Idle,
            Some(Answer::AtWork(_) | Answer::Full) => Finding::Working,
            Some(Answer::Silent) | None => Finding::Silent,
        }
    }
}

async fn ask(connector: &Connector) -> Answer {
    match names_at_work(connector).await {
        Ok(names) => Answer::AtWork(names),
        Err(error) if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS) => Answer::Full,
        Err(error) => {
            tracing::debug!(%error, "probe of the database failed");
            Answer::Silent
        }
    }
}

async fn names_at_work(connector: &Connector) -> Result<HashSet<String>, Error> {
    let connection = connector.open().await?;
    let rows = connection
        .client
        .query(AT_WORK, &[&connector.name()])
        .await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
