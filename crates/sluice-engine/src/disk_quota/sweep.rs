//! Measures the disk space of users that may have reached their quota, and deletes their oldest events beyond it.

use std::{collections::HashSet, sync::Arc, time::Duration};

use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_runtime::{PackageLock, Processes};
use sluice_store::{StoreError, components, disk_use};
use tokio::time::Instant;

use super::{accounts::DiskQuotas, rules::Used};
use crate::retention::prune_events_up_to;

const PERIOD: Duration = Duration::from_secs(2);
/// Measuring takes at most one part in so many of the time.
const FRACTION: u32 = 20;
/// Reads of old events before other users are measured again.
const MAX_ROUNDS: usize = 20;

/// Runs until the server drains.
pub(crate) async fn run(infra: Infra, processes: Arc<dyn Processes>, quotas: DiskQuotas) {
    let Some(quota) = quotas.quota else {
        return;
    };
    while !infra.shutdown.is_draining() {
        let before = Instant::now();
        for user in quotas.due(quota) {
            match enforce(&infra, &*processes, &user, quota).await {
                Ok(space) if quotas.measured(&user, space, quota) => {
                    tracing::warn!(%user, quota = "--max-disk-per-account", bytes = space.total(), "quota reached; the account can store no more");
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%user, %error, "cannot measure disk use; retrying");
                    quotas.forget(&user);
                }
            }
        }
        let (most, full) = quotas.summary();
        let metrics = &infra.metrics;
        metrics
            .account_disk_max
            .set(i64::try_from(most).unwrap_or(i64::MAX));
        metrics
            .disk_full_accounts
            .set(i64::try_from(full).unwrap_or(i64::MAX));
        let pause = PERIOD.max(before.elapsed() * FRACTION);
        infra.shutdown.sleep(pause).await;
    }
}

/// Deletes the oldest events beyond the quota. Returns the space that is used then.
async fn enforce(
    infra: &Infra,
    processes: &dyn Processes,
    user: &UserId,
    quota: u64,
) -> Result<Used, StoreError> {
    let mut space = measure(infra, processes, user).await?;
    for _ in 0..MAX_ROUNDS {
        let excess = space.excess_events(quota);
        // Some more, so that the next event does not exceed it again.
        if excess == 0 || !delete_oldest(infra, user, excess + quota / 20).await? {
            break;
        }
        space = measure(infra, processes, user).await?;
    }
    Ok(space)
}

async fn measure(
    infra: &Infra,
    processes: &dyn Processes,
    user: &UserId,
) -> Result<Used, StoreError> {
    let of = user.clone();
    let read = infra
        .store
        .read(move |c| Ok((disk_use::of_user(c, &of)?, components::locks_of(c, &of)?)));
    let (stored, locks) = read.await?;
    let hashes: HashSet<String> = locks
        .iter()
        .filter_map(|lock| serde_json::from_str::<PackageLock>(lock).ok())
        .map(|lock| lock.hash())
        .collect();
    Ok(Used {
        events: stored.events,
        others: stored.data_stores + stored.state + processes.package_bytes(hashes).await,
    })
}

/// Returns false if there are no events that can be deleted.
async fn delete_oldest(infra: &Infra, user: &UserId, bytes: u64) -> Result<bool, StoreError> {
    let of = user.clone();
    let read = infra.store.read(move |c| {
        let Some(last) = disk_use::oldest_events(c, &of, bytes)? else {
            return Ok(None);
        };
        let emitters = disk_use::with_events_until(c, &of, last)?;
        Ok(Some((last, emitters)))
    });
    let Some((last, emitters)) = read.await? else {
        return Ok(false);
    };
    for emitter in &emitters {
        prune_events_up_to(infra, emitter, last).await?;
    }
    Ok(true)
}
