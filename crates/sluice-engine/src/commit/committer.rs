//! Committing a batch: retried while the store is unavailable, because an invocation that ran once must not run again for
//! want of a database. The exception is a batch with direct requests: their clients do not wait for the store.

use std::sync::Arc;

use sluice_infra::{Backoff, Infra, ResultLabel};
use sluice_model::InvocationId;
use sluice_store::StoreError;
use tokio::{sync::watch, time::Instant};

use super::{
    batch::{Applied, Batch},
    write::write,
};
use crate::spans;

/// A durable batch, and what its transaction did.
pub(crate) struct Committed {
    pub(crate) batch: Arc<Batch>,
    pub(crate) applied: Applied,
}

/// Another owner has claimed the emitter, or it was removed. Nothing of the batch was kept, unless an earlier attempt was.
#[derive(Debug)]
pub(crate) struct Fenced;

/// Writes a batch until it is durable. A batch that the store rejects loses its effects: its inbox rows are acknowledged
/// and the error is recorded. `stalled` tells whether the commit waits for the store.
pub(crate) async fn commit(
    infra: Infra,
    batch: Batch,
    stalled: watch::Sender<bool>,
) -> Result<Committed, Fenced> {
    let mut batch = Arc::new(batch);
    let mut backoff = Backoff::store();
    let (started_at, started) = (infra.now_ms(), Instant::now());
    loop {
        let result = write_once(&infra, Arc::clone(&batch)).await;
        let error = match result {
            Ok(applied) => {
                stalled.send_replace(false);
                spans::committed(&infra, &batch, started_at, started.elapsed());
                spans::released(&infra, &batch, &applied);
                return Ok(Committed { batch, applied });
            }
            Err(StoreError::Fenced(reason)) => {
                tracing::warn!(reason, epoch = batch.fence.epoch, "commit fenced");
                return Err(Fenced);
            }
            Err(error) => error,
        };
        if error.is_retryable() {
            tracing::warn!(emitter = %batch.emitter, commit_no = batch.commit_no, %error, "commit failed; retrying");
            if !batch.direct.is_empty() {
                batch = Arc::new(batch.give_up());
            }
            stalled.send_replace(true);
        } else {
            log_dropped(&infra, &batch, &error);
            batch = match Arc::try_unwrap(batch) {
                Ok(batch) => Arc::new(batch.without_effects(&error, infra.ids.emit())),
                // The store still holds the closure of the last attempt; the next one drops the effects.
                Err(batch) => batch,
            };
        }
        backoff.sleep().await;
    }
}

/// Writes a batch once, for a lifecycle operation that reports the error to its caller.
pub(crate) async fn commit_once(
    infra: &Infra,
    batch: Arc<Batch>,
    change: impl FnOnce(&mut dyn sluice_store::Conn) -> Result<(), StoreError> + Send + 'static,
) -> Result<Applied, StoreError> {
    infra
        .store
        .commit(move |c| {
            change(c)?;
            write(c, &batch)
        })
        .await
}

async fn write_once(infra: &Infra, batch: Arc<Batch>) -> Result<Applied, StoreError> {
    let result = infra.store.commit(move |c| write(c, &batch)).await;
    let label = ResultLabel {
        result: match &result {
            Ok(_) => "ok",
            Err(StoreError::Fenced(_)) => "fenced",
            Err(_) => "error",
        },
    };
    infra.metrics.commits.get_or_create(&label).inc();
    result
}

fn log_dropped(infra: &Infra, batch: &Batch, error: &StoreError) {
    let invocations: Vec<&str> = batch.invocations().map(InvocationId::as_str).collect();
    infra
        .metrics
        .invocations_dropped
        .inc_by(invocations.len() as u64);
    tracing::error!(
        emitter = %batch.emitter,
        ?invocations,
        %error,
        "store rejected commit; effects dropped"
    );
}
