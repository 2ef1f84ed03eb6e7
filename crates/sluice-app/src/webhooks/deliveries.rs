//! The history of deliveries, and replays of them.

use sluice_engine::EngineError;
use sluice_model::{Cursor, DeliveryId, TraceContext, UserId, WebhookId};
use sluice_store::{
    Page,
    audit::{Action, TargetKind},
    deliveries::Attempt,
    delivery_history::{self, Delivery, Detail, Finished, Replay, ReplayProgress},
    delivery_lists::{self, Selection, Tally, Whose},
    webhooks::{self, Webhook},
};

use super::{changed_fields::target, manage::Webhooks};
use crate::{
    audit::{Actor, Change, Target},
    detached,
    listing::Listing,
    replay_span::ReplaySpan,
};

/// Deliveries that are replayed in one transaction.
const REPLAY_BATCH: u32 = 500;

/// Which deliveries to replay. Both ends of the time range are included; a missing end is open.
pub struct ReplayRange {
    pub which: Finished,
    pub since: Option<i64>,
    pub until: Option<i64>,
}

/// A delivery that was replayed.
pub struct ReplayedDelivery {
    pub delivery: Delivery,
    /// The attempt that was made at once, if any.
    pub attempt: Option<Attempt>,
}

impl Webhooks {
    /// Deliveries of one webhook, or of all webhooks of the user.
    pub async fn deliveries(
        &self,
        user: &UserId,
        webhook: Option<&WebhookId>,
        selection: Selection,
        page: Page,
        detail: Detail,
    ) -> Result<Listing<Delivery>, EngineError> {
        let (user, webhook) = (user.clone(), webhook.cloned());
        let listing = self.infra.store.read(move |c| {
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

    /// Counts of deliveries for each webhook, in their order.
    pub async fn tallies(&self, webhooks: &[Webhook]) -> Result<Vec<Tally>, EngineError> {
        let ids: Vec<WebhookId> = webhooks.iter().map(|webhook| webhook.id.clone()).collect();
        let read = self.infra.store.read(move |c| {
            let tallies = delivery_lists::tallies(c, &ids)?;
            // A webhook that was just removed has no deliveries.
            let tally = |id| tallies.get(id).copied().unwrap_or_default();
            Ok(ids.iter().map(tally).collect())
        });
        Ok(read.await?)
    }

    pub async fn delivery(&self, user: &UserId, id: &DeliveryId) -> Result<Delivery, EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.infra
            .store
            .read(move |c| delivery_history::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("delivery"))
    }

    /// Delivers again under the same id. The attempt is made now, on this node. When that is not possible, the delivery is due
    /// at once.
    pub async fn replay_delivery(
        &self,
        actor: &Actor,
        id: &DeliveryId,
        trace: Option<TraceContext>,
    ) -> Result<ReplayedDelivery, EngineError> {
        let target = Target::new(TargetKind::Delivery, id, "");
        let change = Change::new(&self.infra, actor, Action::DeliveryReplay, target);
        self.attempt_again(&actor.user_id, id, change, trace).await
    }

    async fn attempt_again(
        &self,
        user: &UserId,
        id: &DeliveryId,
        change: Change,
        trace: Option<TraceContext>,
    ) -> Result<ReplayedDelivery, EngineError> {
        let (service, user, id) = (self.clone(), user.clone(), id.clone());
        // The attempt must be recorded even if the client disconnects.
        detached::run(&self.infra.shutdown, async move {
            let span = ReplaySpan::begin(&service.infra, trace);
            service.replay_now(&user, &id, change, span).await
        })
        .await
    }

    /// Attempts the delivery of a webhook that is next, also while its circuit breaker pauses.
    pub async fn retry(
        &self,
        actor: &Actor,
        id: &WebhookId,
        trace: Option<TraceContext>,
    ) -> Result<ReplayedDelivery, EngineError> {
        let (user, found) = (&actor.user_id, self.get(&actor.user_id, id).await?);
        if !found.active {
            return Err(inactive());
        }
        let webhook = id.clone();
        let next = self
            .infra
            .store
            .read(move |c| delivery_history::next_pending(c, &webhook));
        let next = next.await?.ok_or_else(nothing_waits)?;
        let change = Change::new(&self.infra, actor, Action::DeliveryRetry, target(&found));
        let change = change.with("delivery", next.as_str());
        self.attempt_again(user, &next, change, trace).await
    }

    async fn replay_now(
        &self,
        user: &UserId,
        id: &DeliveryId,
        change: Change,
        mut span: ReplaySpan,
    ) -> Result<ReplayedDelivery, EngineError> {
        let now = self.infra.now_ms();
        let permit = self.outbox.permit_attempt();
        let due_at = permit.as_ref().map_or(now, |permit| permit.due_at);
        let (owner, delivery) = (user.clone(), id.clone());
        let write = self.infra.store.write(move |c| {
            let Some(found) = delivery_history::get(c, &owner, &delivery)? else {
                return Ok(Err(EngineError::NotFound("delivery")));
            };
            match webhooks::get(c, &owner, &found.webhook_id)? {
                Some(webhook) if webhook.active => {}
                Some(_) | None => return Ok(Err(inactive())),
            }
            delivery_history::replay(c, &delivery, due_at, now)?;
            change
                .with("webhook", found.webhook_id.as_str())
                .record(c)?;
            let original = delivery_history::trace(c, &delivery)?;
            Ok(Ok((found.webhook_id, original)))
        });
        let (webhook, original) = write.await??;
        let attempt = match permit {
            Some(permit) => {
                let cause = span.context();
                self.outbox.attempt_now(permit, &webhook, id, cause).await?
            }
            None => None,
        };
        span.link(original);
        span.end(&self.infra, "delivery");
        if attempt.is_none() {
            self.outbox.wake_webhook(&webhook);
        }
        let delivery = self.delivery(user, id).await?;
        Ok(ReplayedDelivery { delivery, attempt })
    }

    /// Replays deliveries of one webhook; returns their number.
    pub async fn replay(
        &self,
        actor: &Actor,
        id: &WebhookId,
        range: ReplayRange,
        trace: Option<TraceContext>,
    ) -> Result<u64, EngineError> {
        let webhook = self.get(&actor.user_id, id).await?;
        if !webhook.active {
            return Err(inactive());
        }
        let change = Change::new(&self.infra, actor, Action::DeliveryReplay, target(&webhook));
        let span = ReplaySpan::begin(&self.infra, trace);
        self.replay_to(vec![webhook.id], range, change, span).await
    }

    /// Replays deliveries of all active webhooks of the user; returns their number.
    pub async fn replay_all(
        &self,
        actor: &Actor,
        range: ReplayRange,
        trace: Option<TraceContext>,
    ) -> Result<u64, EngineError> {
        let all = Target::new(TargetKind::Webhook, "", "");
        let change = Change::new(&self.infra, actor, Action::DeliveryReplay, all);
        let user = actor.user_id.clone();
        let active = self.infra.store.read(move |c| webhooks::active(c, &user));
        let span = ReplaySpan::begin(&self.infra, trace);
        self.replay_to(active.await?, range, change, span).await
    }

    async fn replay_to(
        &self,
        webhooks: Vec<WebhookId>,
        range: ReplayRange,
        change: Change,
        mut span: ReplaySpan,
    ) -> Result<u64, EngineError> {
        let change = change.with("since", range.since).with("until", range.until);
        let replay = Replay {
            which: range.which,
            since: range.since.unwrap_or(i64::MIN),
            // Deliveries from now on have not failed yet.
            until: range.until.unwrap_or(i64::MAX).min(self.infra.now_ms()),
            with_traces: span.wants_links(),
        };
        let service = self.clone();
        detached::run(&self.infra.shutdown, async move {
            let (mut count, mut unrecorded) = (0, Some(change));
            for webhook in webhooks {
                let change = unrecorded.take();
                let batches = service.replay_in_batches(webhook, &replay, change, &mut span);
                count += batches.await?;
            }
            span.end(&service.infra, "delivery");
            Ok(count)
        })
        .await
    }

    /// The first transaction records the change, if one is given. Returns the number of deliveries, and links the span to the
    /// traces of their events.
    async fn replay_in_batches(
        &self,
        webhook: WebhookId,
        replay: &Replay,
        mut change: Option<Change>,
        span: &mut ReplaySpan,
    ) -> Result<u64, EngineError> {
        let mut total = 0;
        let mut from: Option<Cursor> = None;
        loop {
            let id = webhook.clone();
            let replay = Replay {
                with_traces: span.wants_links(),
                ..replay.clone()
            };
            let now = self.infra.now_ms();
            let change = change.take();
            let batch = self.infra.store.write(move |c| {
                let from = from.as_ref();
                change.map_or(Ok(()), |change| change.record(c))?;
                delivery_history::replay_batch(c, &id, &replay, from, REPLAY_BATCH, now)
            });
            let ReplayProgress {
                count,
                traces,
                next,
            } = batch.await?;
            if count > 0 {
                self.outbox.wake_webhook(&webhook);
            }
            total += count;
            span.link(traces);
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

fn nothing_waits() -> EngineError {
    EngineError::Conflict(
        "nothing waits for the webhook: replay a delivery to send it again".to_owned(),
    )
}
