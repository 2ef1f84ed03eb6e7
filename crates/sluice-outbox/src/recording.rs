//! Records the results of attempts, for as long as the store is unavailable.

use std::sync::Arc;

use sluice_infra::{Backoff, Infra};

use crate::{
    queue_key::QueueKey,
    row::{Finished, Row},
    table::Table,
};

const MAX_LOGGED_IDS: usize = 50;

/// Results that are recorded, or given up.
pub(crate) struct Recorded<R: Row> {
    pub(crate) finished: Arc<[Finished<R>]>,
    /// Whether the store has them. Otherwise the rows are due as before.
    pub(crate) stored: bool,
}

/// Retries while the store is unavailable. Gives up when it rejects the results, or is unavailable while the server
/// drains.
pub(crate) async fn record<T: Table>(
    infra: Infra,
    queue: QueueKey,
    table: Arc<T>,
    finished: Vec<Finished<T::Row>>,
) -> Recorded<T::Row> {
    let finished: Arc<[_]> = finished.into();
    let mut backoff = Backoff::store();
    let stored = loop {
        let Err(error) = table.write(Arc::clone(&finished)).await else {
            break true;
        };
        let rows = ids(&finished);
        if !error.is_retryable() {
            tracing::error!(%queue, %rows, %error, "store rejected attempts; they may be repeated");
            break false;
        }
        if infra.shutdown.is_draining() {
            tracing::error!(%queue, %rows, %error, "attempts not recorded at shutdown; they may be repeated");
            break false;
        }
        tracing::warn!(%queue, %rows, %error, "attempts not recorded; retrying");
        infra.shutdown.sleep(backoff.next_delay()).await;
    };
    if stored {
        table.written(&finished);
    }
    Recorded { finished, stored }
}

/// The ids of the rows, as far as a log line has room for them.
fn ids<R: Row>(finished: &[Finished<R>]) -> String {
    let ids = finished.iter().flat_map(|finished| finished.batch.ids());
    let mut ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    let more = ids.len().saturating_sub(MAX_LOGGED_IDS);
    if more > 0 {
        ids.truncate(MAX_LOGGED_IDS);
        ids.push(format!("and {more} more"));
    }
    ids.join(" ")
}
