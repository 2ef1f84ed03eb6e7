//! Finds queues in which something is due: send queues, and on a database with other nodes also webhooks.
//!
//! On a database of its own the server knows of all webhooks with work: commits name them. Other nodes may end with work that
//! they have claimed, and their hints may be lost.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use sluice_infra::{Backoff, until};
use sluice_model::WebhookId;
use sluice_store::{
    Conn, StoreError, deliveries,
    sends::outbox::{self, DueQueue},
};
use tokio::sync::Notify;

use crate::{
    clock_correction::correct_due_times, destination_watch, dispatcher::Dispatcher,
    queue_key::QueueKey, wakeup::Signal,
};

/// Also the longest time in which a clock that was set back goes unnoticed.
const LONGEST_SLEEP: Duration = Duration::from_mins(1);
/// On a database with other nodes.
const LONGEST_SHARED_SLEEP: Duration = Duration::from_secs(1);

/// Why the finder searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Time,
    /// A send was stored here.
    Wakeup,
}

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
        let longest = if infra.cluster.owns_database() {
            LONGEST_SLEEP
        } else {
            LONGEST_SHARED_SLEEP
        };
        let mut backoff = Backoff::store();
        let mut reason = Reason::Time;
        while !infra.shutdown.is_draining() {
            // Sends that are stored from here on lead to another search.
            self.next_search.store(i64::MAX, Ordering::SeqCst);
            let now = infra.now_ms();
            let pause = match search(dispatcher, now, reason).await {
                Ok(next) => {
                    backoff.reset();
                    let next = next.unwrap_or(i64::MAX);
                    self.next_search.store(next, Ordering::SeqCst);
                    until(next, now).min(longest)
                }
                Err(error) => {
                    tracing::warn!(%error, "queues not searched; retrying");
                    let pause = backoff.next_delay();
                    // No wake-up shortens it.
                    infra.shutdown.sleep(pause).await;
                    continue;
                }
            };
            reason = tokio::select! {
                () = tokio::time::sleep(pause) => Reason::Time,
                () = self.search.notified() => Reason::Wakeup,
                () = infra.shutdown.draining() => Reason::Time,
            };
        }
    }
}

/// The result of a search.
struct Found {
    queues: Vec<DueQueue>,
    webhooks: Vec<WebhookId>,
    next_due: Option<i64>,
}

/// Wakes the queues in which something is due, unless another node works on them. Returns the next due time.
async fn search(
    dispatcher: &Arc<Dispatcher>,
    now: i64,
    reason: Reason,
) -> Result<Option<i64>, StoreError> {
    let infra = &dispatcher.infra;
    correct_due_times(&dispatcher.clock_watch, infra).await?;
    let is_shared = !infra.cluster.owns_database();
    let node = infra.cluster.incarnation().to_owned();
    let may_take_over = infra.cluster.lease().may_take_over();
    let find = move |c: &mut dyn Conn| {
        Ok(Found {
            queues: outbox::queues_due(c, now, &node, may_take_over)?,
            webhooks: if is_shared {
                deliveries::webhooks_due(c, now, &node, may_take_over)?
            } else {
                Vec::new()
            },
            next_due: outbox::next_due(c, now)?,
        })
    };
    let found = infra.store.read(find).await?;
    for due in found.queues {
        wake(dispatcher, due, reason);
    }
    for webhook in found.webhooks {
        dispatcher.dispatch_here(QueueKey::Webhook(webhook), Signal::Wake);
    }
    if is_shared {
        destination_watch::check(dispatcher).await?;
    }
    Ok(found.next_due)
}

/// The node that has claimed a queue finds by itself what becomes due. A new send it learns of sooner.
fn wake(dispatcher: &Arc<Dispatcher>, due: DueQueue, reason: Reason) {
    let key = QueueKey::Sends(due.queue);
    match due.claimed_by {
        None => dispatcher.dispatch_here(key, Signal::Wake),
        Some(node) if reason == Reason::Wakeup => {
            dispatcher.infra.cluster.hint(&node, key.hint(Signal::Wake));
        }
        Some(_) => {}
    }
}
