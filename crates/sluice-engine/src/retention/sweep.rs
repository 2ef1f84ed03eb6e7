//! The retention sweeper: deletes what is too old, of all sources and workflows.

use std::time::Duration;

use sluice_infra::{Infra, MS_PER_HOUR, millis};
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError, activity,
    pruning::{self, AgeCheck},
};

use super::{
    prune::{BATCH, in_batches, prune_events_before, prune_logs_up_to},
    runs,
};

const PERIOD: Duration = Duration::from_mins(1);
/// Emitters per read.
const PAGE: u32 = 1_000;

/// Hours of activity that are kept, including the current one.
pub const ACTIVITY_HOURS: i64 = 31 * 24;

/// Runs until the server drains. One node sweeps for all.
pub(crate) async fn run(infra: Infra) {
    while !infra.shutdown.is_draining() {
        if infra.cluster.does_job("retention")
            && let Err(error) = sweep(&infra).await
        {
            tracing::warn!(%error, "retention sweep failed; retrying later");
        }
        infra.shutdown.sleep(PERIOD).await;
    }
}

async fn sweep(infra: &Infra) -> Result<(), StoreError> {
    runs::prune_old(infra).await?;
    let now = infra.now_ms();
    let first = now.div_euclid(MS_PER_HOUR) + 1 - ACTIVITY_HOURS;
    in_batches(infra, move |c| {
        activity::remove_before(c, first, BATCH.rows)
    })
    .await?;
    let default = infra.settings.event_max_age.map(millis);
    let mut last = None;
    while let Some(some) = emitters_after(infra, last, move |c, after| {
        pruning::with_aging_events(c, now, default, after, PAGE)
    })
    .await?
    {
        for AgeCheck {
            emitter, before_ms, ..
        } in some.iter().filter(|one| one.too_old)
        {
            prune_events_before(infra, emitter, *before_ms).await?;
        }
        last = some.into_iter().next_back().map(|one| one.emitter);
    }
    let Some(age) = infra.settings.log_max_age else {
        return Ok(());
    };
    let before = now - millis(age);
    let mut last = None;
    while let Some(some) = emitters_after(infra, last, move |c, after| {
        pruning::with_old_logs(c, before, after, PAGE)
    })
    .await?
    {
        for AgeCheck { emitter, .. } in some.iter().filter(|one| one.too_old) {
            let old = emitter.clone();
            let read = infra
                .store
                .read(move |c| pruning::logs_older_than(c, &old, before));
            if let Some(line) = read.await? {
                prune_logs_up_to(infra, emitter, line).await?;
            }
        }
        last = some.into_iter().next_back().map(|one| one.emitter);
    }
    Ok(())
}

/// The next page of emitters; `None` at the end, or when the server drains.
async fn emitters_after(
    infra: &Infra,
    last: Option<EmitterId>,
    read: impl FnOnce(&mut dyn Conn, Option<&EmitterId>) -> Result<Vec<AgeCheck>, StoreError>
    + Send
    + 'static,
) -> Result<Option<Vec<AgeCheck>>, StoreError> {
    if infra.shutdown.is_draining() {
        return Ok(None);
    }
    let some = infra.store.read(move |c| read(c, last.as_ref())).await?;
    Ok(Some(some).filter(|some| !some.is_empty()))
}
