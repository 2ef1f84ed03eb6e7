//! Adds the counts of commits to the counters of emitters and users, in small batches.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_store::{StoreError, count_ledger};

use super::prune::{BATCH, in_batches};

/// Short, because readers of the counters add up the rows that wait.
const PERIOD: Duration = Duration::from_secs(5);

/// Runs until the server drains.
pub(crate) async fn run(infra: Infra) {
    while !infra.shutdown.is_draining() {
        if let Err(error) = roll_up(&infra).await {
            tracing::warn!(%error, "rolling up counts failed; retrying later");
        }
        infra.shutdown.sleep(PERIOD).await;
    }
}

async fn roll_up(infra: &Infra) -> Result<(), StoreError> {
    if infra.store.read(count_ledger::has_rows).await? {
        in_batches(infra, |c| count_ledger::roll_up(c, BATCH.rows)).await?;
    }
    Ok(())
}
