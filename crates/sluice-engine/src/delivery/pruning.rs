//! Forgetting deliveries that are over: beyond so many of a webhook, and beyond an age.

use std::sync::Arc;

use sluice_model::{DeliveryId, WebhookId};
use sluice_store::{Conn, StoreError, delivery_pruning};

use super::schedule::millis;
use crate::context::Context;

/// Small, so that nobody who writes waits for long.
const BATCH: u32 = 500;

/// Takes note of deliveries that were recorded. What is beyond retention is looked for once for about a tenth of it, by chance, so
/// that nobody has to count.
pub(super) fn recorded(context: &Arc<Context>, webhook: &WebhookId, rows: usize) {
    let keep = context.infra.settings.delivery_retention;
    let chance = rand::random_range(0..(keep / 10).max(1));
    if u64::try_from(rows).is_ok_and(|rows| chance >= rows) {
        return;
    }
    let (pruner, webhook) = (Arc::clone(context), webhook.clone());
    context.infra.shutdown.spawn(async move {
        let find = move |c: &mut dyn Conn| delivery_pruning::beyond(c, &webhook, keep, BATCH);
        prune(&pruner, find).await;
    });
}

/// Forgets everybody's deliveries that are older than they are kept.
pub(crate) async fn prune_old(context: &Context) {
    let age = millis(context.infra.settings.delivery_max_age);
    let before = context.infra.clock.now_ms().saturating_sub(age);
    prune(context, move |c: &mut dyn Conn| {
        delivery_pruning::older_than(c, before, BATCH)
    })
    .await;
}

/// Removes what `find` finds until that is nothing more.
async fn prune<F>(context: &Context, find: F)
where
    F: Fn(&mut dyn Conn) -> Result<Vec<DeliveryId>, StoreError> + Clone + Send + 'static,
{
    while !context.infra.shutdown.is_draining() {
        let removed = async {
            let ids = context.infra.store.read(find.clone()).await?;
            let count = ids.len();
            if count > 0 {
                let remove = move |c: &mut dyn Conn| delivery_pruning::remove(c, ids);
                context.infra.store.write(remove).await?;
            }
            Ok::<_, StoreError>(count)
        };
        match removed.await {
            Ok(count) if count == BATCH as usize => {}
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, "old deliveries could not be removed; they go later");
                return;
            }
        }
    }
}
