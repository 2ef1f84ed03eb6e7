//! Finds the send queues in which something is due. Queues of webhooks need no search: commits name them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use sluice_infra::{Backoff, until};
use sluice_store::{StoreError, sends::outbox};
use tokio::sync::Notify;

use crate::{clock_correction::correct_due_times, dispatcher::Dispatcher, queue_key::QueueKey};

/// Also the longest time in which a clock that was set back goes unnoticed.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);

pub(crate) struct Finder {
    next_search: AtomicI64,
    search: Notify,
}

impl Finder {
    pub(crate) fn new() -> Finder {
        Finder {
            next_search: AtomicI64::new(i64::MAX),
            search: Notify::new(),
        }
    }

    /// A send that was stored is due then.
    pub(crate) fn wake(&self, due_at: i64) {
        if due_at < self.next_search.load(Ordering::SeqCst) {
            self.search.notify_one();
        }
    }

    /// Searches until the server drains.
    pub(crate) async fn run(&self, dispatcher: &Arc<Dispatcher>) {
        let infra = &dispatcher.infra;
        let mut backoff = Backoff::store();
        while !infra.shutdown.is_draining() {
            // Sends that are stored from here on lead to another search.
            self.next_search.store(i64::MAX, Ordering::SeqCst);
            let now = infra.now_ms();
            let pause = match search(dispatcher, now).await {
                Ok(next) => {
                    backoff.reset();
                    let next = next.unwrap_or(i64::MAX);
                    self.next_search.store(next, Ordering::SeqCst);
                    until(next, now).min(LONGEST_SLEEP)
                }
                Err(error) => {
                    tracing::warn!(%error, "send queues not searched; retrying");
                    let pause = backoff.next_delay();
                    // No wake-up shortens it.
                    infra.shutdown.sleep(pause).await;
                    continue;
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.search.notified() => {}
                () = infra.shutdown.draining() => {}
            }
        }
    }
}

/// Wakes the queues in which something is due, and returns the next due time.
async fn search(dispatcher: &Arc<Dispatcher>, now: i64) -> Result<Option<i64>, StoreError> {
    correct_due_times(&dispatcher.clock_watch, &dispatcher.infra).await?;
    let read = dispatcher
        .infra
        .store
        .read(move |c| Ok((outbox::queues_due(c, now)?, outbox::next_due(c, now)?)));
    let (queues, next) = read.await?;
    for queue in queues {
        dispatcher.wake(QueueKey::Sends(queue));
    }
    Ok(next)
}
