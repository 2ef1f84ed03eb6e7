//! Writing in batches. Requests that arrive together are stored in one transaction, because a write of many rows costs little
//! more than a write of one.
//!
//! A task of its own stores a request and tells its owner: a client that hangs up in between leaves no stored request that its
//! owner does not know.

use std::sync::Arc;

use sluice_infra::Shutdown;
use tokio::sync::{Semaphore, mpsc};

const MAX_BATCH: usize = 256;
/// While one write is being made durable, the next is already queued at the store.
const CONCURRENT_WRITES: usize = 2;

/// Stores what is sent to it, until the last sender is gone.
pub(super) fn start<T, W, F>(shutdown: Shutdown, write: W) -> mpsc::UnboundedSender<T>
where
    T: Send + 'static,
    W: Fn(Vec<T>) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (queue, arrivals) = mpsc::unbounded_channel();
    tokio::spawn(write_batches(shutdown, arrivals, write));
    queue
}

async fn write_batches<T, W, F>(
    shutdown: Shutdown,
    mut arrivals: mpsc::UnboundedReceiver<T>,
    write: W,
) where
    W: Fn(Vec<T>) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(CONCURRENT_WRITES));
    let mut batch = Vec::new();
    while arrivals.recv_many(&mut batch, MAX_BATCH).await > 0 {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        // More may have arrived while it waited for the permit.
        while batch.len() < MAX_BATCH
            && let Ok(more) = arrivals.try_recv()
        {
            batch.push(more);
        }
        let written = write(std::mem::take(&mut batch));
        shutdown.spawn(async move {
            written.await;
            drop(permit);
        });
    }
}
