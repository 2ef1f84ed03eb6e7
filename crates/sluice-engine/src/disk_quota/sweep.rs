//! Measures the disk space of users that may have reached their quota, and deletes their oldest events beyond it.

use std::{sync::Arc, time::Duration};

use sluice_infra::Infra;
use sluice_model::{EmitterId, EventId, UserId};
use sluice_runtime::Processes;
use sluice_store::{Conn, StoreError, disk_use, lock_uses};
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
    let packages = package_bytes(infra, processes, user).await?;
    let mut measured = measure(infra, user, packages, quota).await?;
    for _ in 0..MAX_ROUNDS {
        let Some(Excess { last, emitters }) = measured.excess else {
            break;
        };
        for emitter in &emitters {
            prune_events_up_to(infra, emitter, last).await?;
        }
        measured = measure(infra, user, packages, quota).await?;
    }
    Ok(measured.used)
}

async fn package_bytes(
    infra: &Infra,
    processes: &dyn Processes,
    user: &UserId,
) -> Result<u64, StoreError> {
    let of = user.clone();
    let read = infra.store.read(move |c| lock_uses::of_user(c, &of));
    let hashes = read.await?.into_iter().collect();
    Ok(processes.package_bytes(hashes).await)
}

struct Measured {
    used: Used,
    /// `None` if nothing can or must be deleted.
    excess: Option<Excess>,
}

/// The oldest events, which are beyond the quota.
struct Excess {
    last: EventId,
    emitters: Vec<EmitterId>,
}

/// Measures and finds the excess in one snapshot: nodes that do so at the same time delete the same events, not twice as many.
async fn measure(
    infra: &Infra,
    user: &UserId,
    packages: u64,
    quota: u64,
) -> Result<Measured, StoreError> {
    let id = user.clone();
    let read = infra.store.read(move |c| {
        let stored = disk_use::of_user(c, &id)?;
        let sum = Used {
            events: stored.events,
            others: stored.data_stores + stored.state + packages,
        };
        let excess = excess(c, &id, sum.excess_events(quota), quota)?;
        Ok(Measured { used: sum, excess })
    });
    read.await
}

fn excess(
    c: &mut dyn Conn,
    user: &UserId,
    bytes: u64,
    quota: u64,
) -> Result<Option<Excess>, StoreError> {
    if bytes == 0 {
        return Ok(None);
    }
    // Some more, so that the next event does not exceed it again.
    let Some(last) = disk_use::oldest_events(c, user, bytes + quota / 20)? else {
        return Ok(None);
    };
    let emitters = disk_use::with_events_until(c, user, last)?;
    Ok(Some(Excess { last, emitters }))
}
