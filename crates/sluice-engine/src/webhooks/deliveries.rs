//! What became of the deliveries to webhooks, and replaying them.

use sluice_model::{Cursor, DeliveryId, UserId, WebhookId};
use sluice_store::{
    Conn, Page,
    delivery_history::{self, Delivery, Detail, Finished, Replay, Replayed},
    delivery_lists::{self, Selection, Tally, Whose},
    webhooks::{self, Webhook},
};

use crate::{Engine, Listing, error::EngineError};

/// Deliveries that are replayed in one transaction.
const REPLAYED_AT_ONCE: u32 = 500;

/// Which deliveries to replay; both ends of the time are included, those that are not given are open.
pub struct ReplayRange {
    pub which: Finished,
    pub since: Option<i64>,
    pub until: Option<i64>,
}

impl Engine {
    /// Those of one webhook, or of all that the user has.
    pub async fn deliveries(
        &self,
        user: &UserId,
        webhook: Option<&WebhookId>,
        selection: Selection,
        page: Page,
        detail: Detail,
    ) -> Result<Listing<Delivery>, EngineError> {
        let (user, webhook) = (user.clone(), webhook.cloned());
        let listing = self.context.infra.store.read(move |c| {
            let whose = match &webhook {
                Some(id) if webhooks::get(c, &user, id)?.is_none() => return Ok(None),
                Some(id) => Whose::Webhook(id),
                None => Whose::User(&user),
            };
            Ok(Some(Listing {
                total: delivery_lists::count(c, whose, &selection)?,
                rows: delivery_lists::page(c, whose, &selection, &page, detail)?,
            }))
        });
        listing.await?.ok_or(EngineError::NotFound("webhook"))
    }

    /// How webhooks are doing, one after the other.
    pub async fn delivery_tallies(&self, webhooks: &[Webhook]) -> Result<Vec<Tally>, EngineError> {
        let ids: Vec<WebhookId> = webhooks.iter().map(|webhook| webhook.id.clone()).collect();
        let read = self.context.infra.store.read(move |c| {
            let tallies = delivery_lists::tallies(c, &ids)?;
            // One that has just been removed has nothing any more.
            let tally = |id| tallies.get(id).copied().unwrap_or_default();
            Ok(ids.iter().map(tally).collect())
        });
        Ok(read.await?)
    }

    pub async fn delivery(&self, user: &UserId, id: &DeliveryId) -> Result<Delivery, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.context
            .infra
            .store
            .read(move |c| delivery_history::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("delivery"))
    }

    /// Delivers once more, under the same id; one that is still waiting is due at once.
    pub async fn replay_delivery(
        &self,
        user: &UserId,
        id: &DeliveryId,
    ) -> Result<Delivery, EngineError> {
        let now = self.context.infra.clock.now_ms();
        let (user, id) = (user.clone(), id.clone());
        let write = move |c: &mut dyn Conn| {
            let Some(delivery) = delivery_history::get(c, &user, &id)? else {
                return Ok(Err(EngineError::NotFound("delivery")));
            };
            match webhooks::get(c, &user, &delivery.webhook_id)? {
                Some(webhook) if webhook.active => {}
                Some(_) | None => return Ok(Err(inactive())),
            }
            delivery_history::replay(c, &id, now)?;
            let replayed = delivery_history::get(c, &user, &id)?;
            Ok(replayed.ok_or(EngineError::NotFound("delivery")))
        };
        // The client may disconnect; the webhook worker must be woken all the same.
        self.to_the_end(|Engine { context, .. }| async move {
            let delivery = context.infra.store.write(write).await??;
            context.outbox.wake_webhook(&delivery.webhook_id);
            Ok(delivery)
        })
        .await
    }

    /// Replays deliveries of one webhook, and answers how many.
    pub async fn replay_webhook(
        &self,
        user: &UserId,
        id: &WebhookId,
        range: ReplayRange,
    ) -> Result<u64, EngineError> {
        if !self.webhook(user, id).await?.active {
            return Err(inactive());
        }
        self.replay_to(vec![id.clone()], range).await
    }

    /// Replays deliveries of all active webhooks of the user, and answers how many.
    pub async fn replay_all(&self, user: &UserId, range: ReplayRange) -> Result<u64, EngineError> {
        let user = user.clone();
        let active = self
            .context
            .infra
            .store
            .read(move |c| webhooks::active(c, &user));
        self.replay_to(active.await?, range).await
    }

    async fn replay_to(
        &self,
        webhooks: Vec<WebhookId>,
        range: ReplayRange,
    ) -> Result<u64, EngineError> {
        let replay = Replay {
            which: range.which,
            since: range.since.unwrap_or(i64::MIN),
            // What is made from now on has not failed yet.
            until: range
                .until
                .unwrap_or(i64::MAX)
                .min(self.context.infra.clock.now_ms()),
        };
        self.to_the_end(|engine| async move {
            let mut count = 0;
            for webhook in webhooks {
                count += engine.replay_in_batches(webhook, &replay).await?;
            }
            Ok(count)
        })
        .await
    }

    async fn replay_in_batches(
        &self,
        webhook: WebhookId,
        replay: &Replay,
    ) -> Result<u64, EngineError> {
        let mut total = 0;
        let mut from: Option<Cursor> = None;
        loop {
            let (id, replay) = (webhook.clone(), replay.clone());
            let now = self.context.infra.clock.now_ms();
            let batch = self.context.infra.store.write(move |c| {
                let from = from.as_ref();
                delivery_history::replay_batch(c, &id, &replay, from, REPLAYED_AT_ONCE, now)
            });
            let Replayed { count, next } = batch.await?;
            if count > 0 {
                self.context.outbox.wake_webhook(&webhook);
            }
            total += count;
            match next {
                Some(next) => from = Some(next),
                None => return Ok(total),
            }
        }
    }
}

fn inactive() -> EngineError {
    EngineError::Conflict(
        "the webhook is inactive: make it active to replay its deliveries".to_owned(),
    )
}
