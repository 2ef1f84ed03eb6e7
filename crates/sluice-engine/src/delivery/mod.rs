//! Carrying events from the outbox to webhooks.
//!
//! Each webhook that something waits for has one courier, a task of its own, so that a slow or failing webhook slows only
//! itself. What a courier sends was stored in the transaction that stored the event, and stays in the outbox until
//! the answer to it is recorded.

mod bell;
mod courier;
mod health;
mod journal;
mod pruning;
mod recording;
mod round;
mod schedule;
mod sending;
mod signing;

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_infra::Settings;
use sluice_model::WebhookId;
use sluice_store::{StoreError, deliveries};
use tokio::sync::Semaphore;

use self::{bell::Bell, courier::Courier, journal::Journal, sending::Sender};
use crate::{context::Context, net_guard::NetGuard};

pub(crate) use self::{
    journal::Leftover,
    pruning::prune_old,
    schedule::{Schedule, jitter, millis, retry_after},
    sending::beginning,
};

/// Late records in one write.
const LATE_AT_ONCE: usize = 500;

/// Those who deliver: one for each webhook that has something waiting.
pub(crate) struct Couriers {
    live: Mutex<HashMap<WebhookId, Arc<Bell>>>,
    sender: Sender,
    schedule: Schedule,
    journal: Journal,
    /// For tries that are under way, on the whole server.
    places: Semaphore,
}

impl Couriers {
    /// Nobody delivers yet; what the last run left behind must be recorded first.
    pub(crate) fn new(settings: &Settings) -> Result<(Couriers, Leftover), reqwest::Error> {
        let guard = NetGuard::new(settings.allow_private_network);
        let (journal, leftover) = Journal::open(&settings.data_dir);
        let places = settings.max_deliveries.clamp(1, Semaphore::MAX_PERMITS);
        let couriers = Couriers {
            live: Mutex::default(),
            sender: Sender::new(guard, settings.webhook_timeout)?,
            schedule: Schedule::new(settings.webhook_retries.clone()),
            journal,
            places: Semaphore::new(places),
        };
        Ok((couriers, leftover))
    }

    /// Something may be due for a webhook.
    pub(crate) fn wake(&self, context: &Arc<Context>, webhook: &WebhookId) {
        self.tell(context, webhook, Bell::ring);
    }

    /// A webhook was changed or removed: nothing more is sent where it was.
    pub(crate) fn changed(&self, context: &Arc<Context>, webhook: &WebhookId) {
        self.tell(context, webhook, Bell::ring_for_change);
    }

    fn tell(&self, context: &Arc<Context>, webhook: &WebhookId, ring: fn(&Bell)) {
        match self.live.lock().entry(webhook.clone()) {
            Entry::Occupied(entry) => ring(entry.get()),
            Entry::Vacant(entry) => {
                let bell = Arc::clone(entry.insert(Arc::default()));
                let courier = Courier::new(Arc::clone(context), webhook.clone(), bell);
                context.infra.shutdown.spawn(courier.run());
            }
        }
    }

    /// Lets a courier that found nothing go, unless it was rung for meanwhile.
    fn dismiss(&self, webhook: &WebhookId, bell: &Bell) -> bool {
        let mut live = self.live.lock();
        let dismissed = !bell.is_rung();
        if dismissed {
            live.remove(webhook);
        }
        dismissed
    }
}

/// Records the successes that the last run knew of and could not record any more.
pub(crate) async fn record_leftover(
    context: &Context,
    leftover: Leftover,
) -> Result<(), StoreError> {
    let mut leftover = leftover;
    let mut successes = std::mem::take(&mut leftover.successes).into_iter();
    loop {
        let group: Vec<_> = successes.by_ref().take(LATE_AT_ONCE).collect();
        if group.is_empty() {
            break;
        }
        let now = context.infra.clock.now_ms();
        let record = context.infra.store.write(move |c| {
            group.iter().try_for_each(|success| {
                deliveries::record_late(c, &success.id, &success.attempt, now)
            })
        });
        record.await?;
    }
    leftover.forget();
    Ok(())
}

/// Wakes the couriers of all webhooks that something waits for.
pub(crate) async fn resume(context: &Arc<Context>) -> Result<(), StoreError> {
    let waiting = context
        .infra
        .store
        .read(deliveries::webhooks_with_work)
        .await?;
    for webhook in waiting {
        context.couriers.wake(context, &webhook);
    }
    Ok(())
}
