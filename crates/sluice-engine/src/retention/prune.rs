//! Deleting events and log lines in small batches.

use std::time::Duration;

use sluice_infra::Infra;
use sluice_model::{EmitterId, EventId};
use sluice_store::{BatchLimit, Conn, StoreError, events, last_requests, logs, pruning};
use tokio::time::Instant;

/// One write: small enough that other writes are not delayed.
pub(super) const BATCH: BatchLimit = BatchLimit {
    rows: 500,
    bytes: 4 * 1024 * 1024,
};
/// Pause between two such writes: at least this, and as long as the last write took.
pub(super) const MIN_PAUSE: Duration = Duration::from_millis(10);

/// Deletes events beyond the newest `keep`; returns the count before.
pub(super) async fn prune_events(
    infra: &Infra,
    emitter: &EmitterId,
    keep: u64,
) -> Result<u64, StoreError> {
    let (count, beyond) = count_and_cut(
        infra,
        emitter,
        keep,
        events::count_kept,
        pruning::events_beyond,
    )
    .await?;
    if let Some(last) = beyond {
        prune_events_up_to(infra, emitter, last).await?;
    }
    Ok(count)
}

/// Deletes log lines beyond the newest `keep`; returns the count before.
pub(super) async fn prune_logs(
    infra: &Infra,
    emitter: &EmitterId,
    keep: u64,
) -> Result<u64, StoreError> {
    let (count, beyond) =
        count_and_cut(infra, emitter, keep, logs::count, logs::seq_behind).await?;
    if let Some(last) = beyond {
        prune_logs_up_to(infra, emitter, last).await?;
    }
    Ok(count)
}

/// Counts rows, and finds the newest one beyond the newest `keep`.
async fn count_and_cut<P: Send + 'static>(
    infra: &Infra,
    emitter: &EmitterId,
    keep: u64,
    count: impl FnOnce(&mut dyn Conn, &EmitterId) -> Result<u64, StoreError> + Send + 'static,
    beyond: impl FnOnce(&mut dyn Conn, &EmitterId, u64) -> Result<Option<P>, StoreError>
    + Send
    + 'static,
) -> Result<(u64, Option<P>), StoreError> {
    let emitter = emitter.clone();
    let read = infra.store.read(move |c| {
        let count = count(c, &emitter)?;
        let beyond = if count > keep {
            beyond(c, &emitter, keep)?
        } else {
            None
        };
        Ok((count, beyond))
    });
    read.await
}

/// Deletes events, and the last request, of before a time.
pub(super) async fn prune_events_before(
    infra: &Infra,
    emitter: &EmitterId,
    before_ms: i64,
) -> Result<(), StoreError> {
    let last = EventId {
        ms: before_ms - 1,
        seq: i64::MAX,
    };
    prune_events_up_to(infra, emitter, last).await?;
    let emitter = emitter.clone();
    let write = infra
        .store
        .write(move |c| last_requests::remove_between(c, &emitter, i64::MIN, before_ms - 1));
    write.await
}

pub(crate) async fn prune_events_up_to(
    infra: &Infra,
    emitter: &EmitterId,
    last: EventId,
) -> Result<(), StoreError> {
    let emitter = emitter.clone();
    in_batches(infra, move |c| pruning::events(c, &emitter, last, BATCH)).await
}

pub(super) async fn prune_logs_up_to(
    infra: &Infra,
    emitter: &EmitterId,
    last: i64,
) -> Result<(), StoreError> {
    let emitter = emitter.clone();
    in_batches(infra, move |c| pruning::logs(c, &emitter, last, BATCH)).await
}

/// Deletes in small batches, with pauses for other writes.
pub(super) async fn in_batches(
    infra: &Infra,
    prune: impl Fn(&mut dyn Conn) -> Result<u64, StoreError> + Clone + Send + 'static,
) -> Result<(), StoreError> {
    while !infra.shutdown.is_draining() {
        let began = Instant::now();
        if infra.store.write(prune.clone()).await? == 0 {
            break;
        }
        tokio::time::sleep(began.elapsed().max(MIN_PAUSE)).await;
    }
    Ok(())
}

/// The result of pruning an emitter; `None` when it failed. It is retried with the next batch of rows, or the next sweep.
pub(super) fn logged<T>(emitter: &EmitterId, result: Result<T, StoreError>) -> Option<T> {
    result
        .inspect_err(|error| tracing::warn!(%emitter, %error, "pruning failed; retrying later"))
        .ok()
}
