//! An attempt that a user asks for. The node that was asked makes it at once, also while the circuit breaker pauses and
//! before deliveries that wait longer.
//!
//! The delivery is due only after the attempt, so no worker makes one meanwhile, and it is not lost with this node.

use std::sync::Arc;

use sluice_cluster::LeaseTerm;
use sluice_infra::millis;
use sluice_model::{DeliveryId, TraceContext, WebhookId};
use sluice_store::{
    StoreError, deliveries,
    deliveries::{Attempt, Due},
    delivery_history, webhook_health,
    webhooks::{self, Webhook},
};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    decision::decide,
    delivery_table::DeliveryRow,
    destination::Destination,
    dispatcher::Dispatcher,
    outbox::Outbox,
    queue_key::QueueKey,
    recording::record,
    row::{Batch, Fate, Finished, Outcome, Verdict},
    table::Table,
    wakeup::Signal,
};

/// Beyond the timeout of an attempt: the time for reading and recording.
const RECORDING_MS: i64 = 30_000;
/// Deliveries that become due in one transaction.
const HASTEN_BATCH: u32 = 500;

/// The right to one attempt, in one term of the lease.
pub struct AttemptPermit {
    term: LeaseTerm,
    /// Until then the attempt is over, unless the node died.
    pub due_at: i64,
    _permit: OwnedSemaphorePermit,
}

struct Request {
    webhook: Webhook,
    due: Due,
    was_failing: bool,
}

impl Outbox {
    /// A permit for an attempt now. `None` when too many are under way or the node has no lease: then a worker has to make it.
    pub fn permit_attempt(&self) -> Option<AttemptPermit> {
        let Dispatcher {
            infra, webhooks, ..
        } = &*self.dispatcher;
        let permit = Arc::clone(&webhooks.requested).try_acquire_owned().ok()?;
        let reserved_ms = millis(infra.settings.webhook_timeout).saturating_add(RECORDING_MS);
        Some(AttemptPermit {
            term: infra.cluster.lease().term()?,
            due_at: infra.now_ms().saturating_add(reserved_ms),
            _permit: permit,
        })
    }

    /// Attempts a delivery that is due at the time of the permit, and records the result. `None` when it is gone, or the lease
    /// has run out. After a success to a webhook that failed, everything that waits for it is sent. The attempt belongs to the trace
    /// of its cause, if that has one.
    pub async fn attempt_now(
        &self,
        permit: AttemptPermit,
        webhook: &WebhookId,
        delivery: &DeliveryId,
        cause: Option<&TraceContext>,
    ) -> Result<Option<Attempt>, StoreError> {
        let dispatcher = &self.dispatcher;
        let infra = &dispatcher.infra;
        let Some(mut request) = self.read_request(webhook, delivery).await? else {
            return Ok(None);
        };
        if let Some(cause) = cause {
            request.due.trace = Some(cause.clone());
        }
        if infra.cluster.lease().term() != Some(permit.term) {
            return Ok(None);
        }
        let was_failing = request.was_failing;
        let finished = self.attempt(request).await;
        let (fate, attempt) = (
            finished.fate,
            finished
                .report
                .as_ref()
                .map(|report| report.attempt.clone()),
        );
        let table = Arc::new(dispatcher.delivery_table(webhook));
        let key = QueueKey::Webhook(webhook.clone());
        table.count(&finished);
        record(infra.clone(), key.clone(), table, vec![finished]).await;
        match fate {
            Fate::Sent if was_failing => {
                self.hasten(webhook).await?;
                dispatcher.dispatch(key, Signal::Change);
            }
            Fate::Gone => dispatcher.dispatch(key, Signal::Change),
            _ => dispatcher.dispatch(key, Signal::Wake),
        }
        Ok(attempt)
    }

    async fn read_request(
        &self,
        webhook: &WebhookId,
        delivery: &DeliveryId,
    ) -> Result<Option<Request>, StoreError> {
        let (webhook, delivery) = (webhook.clone(), delivery.clone());
        let read = self.dispatcher.infra.store.read(move |c| {
            let found = webhooks::get_for_delivery(c, &webhook)?;
            let due = deliveries::with_payload(c, &delivery)?;
            let failing = webhook_health::failing(c, std::slice::from_ref(&webhook))?;
            let request = |(webhook, due)| Request {
                webhook,
                due,
                was_failing: !failing.is_empty(),
            };
            Ok(found.zip(due).map(request))
        });
        read.await
    }

    async fn attempt(&self, request: Request) -> Finished<DeliveryRow> {
        let Request { webhook, due, .. } = request;
        let Dispatcher {
            infra, webhooks, ..
        } = &*self.dispatcher;
        let to = Arc::new(Destination::new(&infra.vault, &webhook));
        let mut batch = Batch::single(DeliveryRow { due, to }, String::new());
        let Outcome { verdict, report } = webhooks.senders.attempt(&mut batch.rows).await;
        let (mut fate, tries) = decide(infra, &webhooks.schedule, batch.tries(), &verdict);
        if let Verdict::Pause(pause) = verdict {
            let due_at = infra.now_ms().saturating_add(millis(pause));
            fate = Fate::Postponed { due_at };
        }
        Finished {
            batch,
            fate,
            tries,
            attempted: true,
            report: Some(report),
        }
    }

    /// The receiver works again: its retries need not wait for their times.
    async fn hasten(&self, webhook: &WebhookId) -> Result<(), StoreError> {
        let infra = &self.dispatcher.infra;
        loop {
            let (id, now) = (webhook.clone(), infra.now_ms());
            let write = infra
                .store
                .write(move |c| delivery_history::hasten_batch(c, &id, now, HASTEN_BATCH));
            if write.await? < u64::from(HASTEN_BATCH) {
                return Ok(());
            }
        }
    }
}
