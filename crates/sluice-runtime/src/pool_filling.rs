//! Fills the pool of idle processes, one at a time and in the background.

use std::{io, sync::Arc, time::Duration};

use crate::{inner::Inner, pool::Missing, preload::Preload};

/// The pause after a process that did not start.
const START_RETRY: Duration = Duration::from_secs(5);

/// Starts the processes that are missing in the pool, unless another task does so.
pub(crate) fn refill(inner: &Arc<Inner>) {
    if !inner.pool.begin_filling() {
        return;
    }
    let inner = Arc::downgrade(inner);
    tokio::spawn(async move {
        while let Some(inner) = inner.upgrade() {
            if !fill_one(&inner).await && inner.pool.stop_filling() {
                return;
            }
        }
    });
}

/// Returns false if no process is missing.
async fn fill_one(inner: &Inner) -> bool {
    let Some(missing) = inner.pool.missing() else {
        return false;
    };
    if let Err(error) = fill(inner, missing).await {
        tracing::warn!(%error, "cannot start idle process");
        tokio::time::sleep(START_RETRY).await;
    }
    true
}

async fn fill(inner: &Inner, missing: Missing) -> io::Result<()> {
    // Under load no idle process is started, because it would prolong the load.
    let _permit = inner.starting.acquire_spare().await;
    let mut child = inner.spawn(Preload::NodeModules)?;
    inner.until_ready(&mut child).await?;
    match missing {
        Missing::Empty => inner.pool.add_empty(child),
        Missing::Primed(priming) => match inner.prime(&mut child, &priming).await {
            Ok(()) => inner.pool.add_primed(priming, child),
            Err(error) => {
                // A component that needs these packages reports the error itself.
                tracing::debug!(%error, "cannot import packages ahead");
                inner.pool.forget_likely();
            }
        },
    }
    Ok(())
}
