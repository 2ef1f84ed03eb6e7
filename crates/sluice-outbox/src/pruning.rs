//! Removes deliveries that are over: beyond so many of a webhook, and beyond an age.

use rand::RngExt;
use sluice_infra::{Infra, MS_PER_DAY, millis};
use sluice_model::{DeliveryId, WebhookId};
use sluice_store::{Conn, StoreError, delivery_pruning, sends::notifications};

/// Small, so that other writes do not wait for long.
const BATCH: u32 = 500;
/// Notifications are kept this long, so that users see the results.
const NOTIFICATION_AGE_MS: i64 = 30 * MS_PER_DAY;

/// Called when deliveries of a webhook are recorded. Deliveries beyond the retention are looked for at random, about once
/// for each tenth of it, so that no counter is needed.
pub(crate) fn recorded(infra: &Infra, webhook: &WebhookId, rows: u64) {
    let keep = infra.settings.delivery_retention;
    let chance = infra.ids.rng().random_range(0..(keep / 10).max(1));
    if chance >= rows {
        return;
    }
    let (pruner, webhook) = (infra.clone(), webhook.clone());
    infra.shutdown.spawn(async move {
        let find = move |c: &mut dyn Conn| delivery_pruning::beyond(c, &webhook, keep, BATCH);
        prune(&pruner, find).await;
    });
}

/// Removes all deliveries that are older than they are kept, and notifications that are over.
pub(crate) async fn prune_old(infra: &Infra) {
    prune_notifications(infra).await;
    let age = millis(infra.settings.delivery_max_age);
    let before = infra.now_ms().saturating_sub(age);
    prune(infra, move |c: &mut dyn Conn| {
        delivery_pruning::older_than(c, before, BATCH)
    })
    .await;
}

async fn prune_notifications(infra: &Infra) {
    let before = infra.now_ms().saturating_sub(NOTIFICATION_AGE_MS);
    let prune = move |c: &mut dyn Conn| notifications::prune(c, before, BATCH);
    while !infra.shutdown.is_draining() {
        match infra.store.write(prune).await {
            Ok(count) if count == u64::from(BATCH) => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "old notifications not removed; retrying later");
                return;
            }
        }
    }
}

/// Removes batches until `find` finds no full one.
async fn prune<F>(infra: &Infra, find: F)
where
    F: Fn(&mut dyn Conn) -> Result<Vec<DeliveryId>, StoreError> + Clone + Send + 'static,
{
    while !infra.shutdown.is_draining() {
        match prune_batch(infra, find.clone()).await {
            Ok(count) if count == BATCH as usize => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "old deliveries not removed; retrying later");
                return;
            }
        }
    }
}

async fn prune_batch<F>(infra: &Infra, find: F) -> Result<usize, StoreError>
where
    F: FnOnce(&mut dyn Conn) -> Result<Vec<DeliveryId>, StoreError> + Send + 'static,
{
    let ids = infra.store.read(find).await?;
    let count = ids.len();
    if count > 0 {
        let remove = move |c: &mut dyn Conn| delivery_pruning::remove(c, ids);
        infra.store.write(remove).await?;
    }
    Ok(count)
}
