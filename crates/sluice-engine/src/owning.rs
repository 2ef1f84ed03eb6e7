//! What the owners of sources and of workflows do alike: waiting for the store, and for what they have under way.

use std::{future, sync::Arc, time::Duration};

use sluice_model::EmitterId;
use sluice_store::{BatchLimit, Conn, Store, StoreError, inbox};
use tokio::{task::JoinHandle, time::Instant};

use crate::{
    context::Context,
    mailbox::{Mailbox, Refill, Work},
    metrics::ResultLabel,
};

pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(100);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const REFILL: BatchLimit = BatchLimit {
    rows: 256,
    bytes: 8 * 1024 * 1024,
};

/// What one transaction writes.
pub(crate) trait Rows: Send + Sync + Sized + 'static {
    /// What the transaction did.
    type Applied: Send + 'static;

    fn apply(&self, c: &mut dyn Conn) -> Result<Self::Applied, StoreError>;

    /// What it did, if an attempt to apply it was kept although it seemed to fail.
    fn if_kept(&self, c: &mut dyn Conn) -> Result<Option<Self::Applied>, StoreError>;

    /// What remains of it when the store will never take it.
    fn without_effects(self, why: &str, context: &Context) -> Self;
}

/// A batch that is stored, and what its transaction did.
pub(crate) struct Committed<B: Rows> {
    pub(crate) batch: Arc<B>,
    pub(crate) applied: B::Applied,
}

/// Writes a batch, however long the store is unavailable: what ran once must not run again for want of space. `stalled` is
/// told whether it has to wait.
pub(crate) async fn commit<B: Rows>(
    context: Arc<Context>,
    batch: B,
    stalled: impl Fn(bool) + Send,
) -> Committed<B> {
    let mut batch = Arc::new(batch);
    let mut pause = FIRST_PAUSE;
    let mut unsure = false;
    loop {
        let rows = Arc::clone(&batch);
        let write = move |c: &mut dyn Conn| {
            let kept = if unsure { rows.if_kept(c)? } else { None };
            match kept {
                Some(applied) => Ok(applied),
                None => rows.apply(c),
            }
        };
        let result = context.store.write(write).await;
        let label = ResultLabel {
            result: if result.is_ok() { "ok" } else { "error" },
        };
        context.metrics.commits.get_or_create(&label).inc();
        let error = match result {
            Ok(applied) => {
                stalled(false);
                return Committed { batch, applied };
            }
            Err(error) => error,
        };
        unsure = error.is_retryable();
        if unsure {
            tracing::warn!(%error, "a commit failed; trying again");
            stalled(true);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        } else {
            tracing::error!(%error, "what was done cannot be stored and is given up");
            batch = match Arc::try_unwrap(batch) {
                Ok(batch) => Arc::new(batch.without_effects(&error.to_string(), &context)),
                Err(batch) => batch,
            };
            tokio::time::sleep(pause).await;
        }
    }
}

/// Reads what an owner needs to know at its start; none when what it would own is gone, or the server stops.
pub(crate) async fn load<T: Send + 'static>(
    context: &Context,
    id: &EmitterId,
    read: impl Fn(&mut dyn Conn) -> Result<Option<T>, StoreError> + Clone + Send + 'static,
) -> Option<T> {
    let mut pause = FIRST_PAUSE;
    loop {
        match context.store.read(read.clone()).await {
            Ok(loaded) => return loaded,
            Err(error) => {
                tracing::warn!(emitter = %id, %error, "what is to run could not be read; trying again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                if context.draining.is_cancelled() {
                    return None;
                }
            }
        }
    }
}

/// A page of an inbox, on its way into the mailbox.
pub(crate) struct InboxPage {
    refill: Refill,
    waiting: inbox::InboxPage,
}

impl InboxPage {
    /// Reads what a mailbox has room for; none when it could not be read.
    pub(crate) async fn read(
        store: Store,
        emitter: EmitterId,
        refill: Refill,
    ) -> Option<InboxPage> {
        let read = store.read(move |c| {
            let request = inbox::PageRequest {
                known: &refill.known,
                limit: REFILL,
            };
            let waiting = inbox::waiting(c, &emitter, &request)?;
            Ok(InboxPage { refill, waiting })
        });
        let read = read.await;
        if let Err(error) = &read {
            tracing::warn!(%error, "an inbox could not be read; trying again");
            tokio::time::sleep(FIRST_PAUSE).await;
        }
        read.ok()
    }

    pub(crate) fn put_into(self, mailbox: &Mailbox) {
        let inbox::InboxPage { items, complete } = self.waiting;
        let page = items.into_iter().map(Work::from).collect();
        mailbox.refill(&self.refill, page, complete);
    }
}

/// The result of a task once it is there; a task that panicked gives `None`.
pub(crate) async fn settled<T>(slot: &mut Option<JoinHandle<T>>) -> Option<T> {
    match slot {
        Some(task) => {
            let result = task.await.ok();
            *slot = None;
            result
        }
        None => future::pending().await,
    }
}

pub(crate) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => future::pending().await,
    }
}
