//! Deliveries to one webhook, as the store has them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use sluice_infra::{Infra, ResultLabel};
use sluice_model::{DeliveryId, UserId, WebhookId};
use sluice_store::{
    BatchLimit, StoreError,
    deliveries::{self, Attempt, AttemptOutcome, AttemptRecord, Due},
    webhooks,
};

use crate::{
    delivery_observer::DeliveryObserver,
    destination::Destination,
    gone,
    journal::{Journal, Note},
    pruning,
    row::{Fate, Finished, Row},
    table::{Page, Table},
};

pub(crate) struct DeliveryRow {
    pub(crate) due: Due,
    pub(crate) to: Arc<Destination>,
}

pub(crate) struct DeliveryReport {
    pub(crate) attempt: Attempt,
    /// The journal's note of a success.
    pub(crate) note: Option<Note>,
}

impl Row for DeliveryRow {
    type Id = DeliveryId;
    type Report = DeliveryReport;

    fn id(&self) -> DeliveryId {
        self.due.id.clone()
    }

    fn tries(&self) -> u32 {
        self.due.tries
    }

    fn bytes(&self) -> usize {
        self.due.data.len()
    }

    fn waiting_since(&self) -> i64 {
        self.due.due_since()
    }

    fn given_up(reason: String, now_ms: i64) -> DeliveryReport {
        let attempt = Attempt {
            at: now_ms,
            status: None,
            latency_ms: 0,
            response: None,
            error: Some(reason),
        };
        DeliveryReport {
            attempt,
            note: None,
        }
    }
}

pub(crate) struct DeliveryTable {
    pub(crate) infra: Infra,
    pub(crate) webhook: WebhookId,
    pub(crate) journal: Arc<Journal>,
    pub(crate) observer: Arc<dyn DeliveryObserver>,
}

impl Table for DeliveryTable {
    type Row = DeliveryRow;

    /// Nothing is due for a webhook that is inactive or deleted.
    async fn read(
        &self,
        in_hand: BTreeSet<DeliveryId>,
        portion: BatchLimit,
    ) -> Result<Page<DeliveryRow>, StoreError> {
        let (id, now) = (self.webhook.clone(), self.infra.now_ms());
        let read = self.infra.store.read(move |c| {
            let webhook = webhooks::get_for_delivery(c, &id)?;
            let Some(webhook) = webhook.filter(|webhook| webhook.active) else {
                return Ok(None);
            };
            let due = deliveries::due(c, &id, now, &in_hand, portion)?;
            let next_due = match due.as_slice() {
                [] => deliveries::next_due(c, &id, now)?,
                _ => None,
            };
            Ok(Some((webhook, due, next_due)))
        });
        let Some((webhook, due, next_due)) = read.await? else {
            return Ok(Page::empty());
        };
        let to = Arc::new(Destination::new(&self.infra.vault, &webhook));
        let row = |due| DeliveryRow {
            due,
            to: Arc::clone(&to),
        };
        Ok(Page {
            rows: due.into_iter().map(row).collect(),
            next_due,
            concurrency: usize::try_from(webhook.concurrency.max(1)).ok(),
            destination_time: Some(webhook.updated_at),
        })
    }

    async fn write(&self, finished: Arc<[Finished<DeliveryRow>]>) -> Result<(), StoreError> {
        let (infra, id, now) = (
            self.infra.clone(),
            self.webhook.clone(),
            self.infra.now_ms(),
        );
        let write = self.infra.store.write(move |c| {
            // The webhook before its deliveries: its removal takes the locks in this order.
            if let Some(at) = last_success(&finished) {
                webhooks::delivered(c, &id, at)?;
            }
            if let Some(Failures { since, error }) = last_failures(&finished) {
                webhooks::failed(c, &id, since, &error)?;
            }
            for finished in finished.iter() {
                for row in &finished.batch.rows {
                    deliveries::record(c, &tried(row, finished), now)?;
                }
            }
            if finished.iter().any(|finished| finished.fate == Fate::Gone) {
                gone::deactivate(c, &infra, &id)?;
            }
            Ok(())
        });
        write.await
    }

    fn count(&self, finished: &Finished<DeliveryRow>) {
        let metrics = &self.infra.metrics;
        if matches!(finished.fate, Fate::Failed | Fate::Gone) {
            metrics.deliveries_failed.inc();
        }
        if !finished.attempted {
            return;
        }
        let sent = finished.fate == Fate::Sent;
        let result = if sent { "ok" } else { "error" };
        let label = ResultLabel { result };
        metrics.deliveries.get_or_create(&label).inc();
        for DeliveryRow { due, .. } in &finished.batch.rows {
            // The time since an old event that was replayed says nothing about the server.
            let replayed = due.tries == 0 && due.due_at > due.created_at;
            if sent && !replayed {
                let since = self.infra.now_ms().saturating_sub(due.created_at);
                let since = Duration::from_millis(u64::try_from(since).unwrap_or(0));
                metrics.delivery_seconds.observe(since.as_secs_f64());
            }
        }
    }

    fn written(&self, finished: &[Finished<DeliveryRow>]) {
        let reports = finished.iter().filter_map(|done| done.report.as_ref());
        self.journal
            .recorded(reports.filter_map(|report| report.note));
        let count = |sent: bool| {
            let counted = finished
                .iter()
                .filter(|one| (one.fate == Fate::Sent) == sent);
            counted.map(|one| one.batch.rows.len() as u64).sum()
        };
        let (delivered, failed) = (count(true), count(false));
        if let Some(user) = Self::user(finished) {
            self.observer
                .attempted(user, &self.webhook, delivered, failed);
        }
        pruning::recorded(&self.infra, &self.webhook, delivered + failed);
    }
}

impl DeliveryTable {
    fn user(finished: &[Finished<DeliveryRow>]) -> Option<&UserId> {
        let mut rows = finished.iter().flat_map(|done| &done.batch.rows);
        rows.next().map(|row| &row.to.user)
    }
}

fn tried(row: &DeliveryRow, finished: &Finished<DeliveryRow>) -> AttemptRecord {
    let Due {
        id,
        due_at: was_due_at,
        attempts,
        ..
    } = &row.due;
    let outcome = match finished.fate {
        Fate::Sent => AttemptOutcome::Delivered,
        Fate::Failed | Fate::Gone => AttemptOutcome::Failed,
        Fate::Retry { due_at } | Fate::Postponed { due_at } => AttemptOutcome::Retry { due_at },
        Fate::StillDue => AttemptOutcome::Retry {
            due_at: *was_due_at,
        },
    };
    let mut attempts = attempts.clone();
    attempts.extend(
        finished
            .report
            .as_ref()
            .map(|report| report.attempt.clone()),
    );
    AttemptRecord {
        id: id.clone(),
        was_due_at: *was_due_at,
        outcome,
        tries: finished.tries,
        attempts,
    }
}

fn last_success(finished: &[Finished<DeliveryRow>]) -> Option<i64> {
    let sent = finished.iter().filter(|done| done.fate == Fate::Sent);
    let reports = sent.filter_map(|done| done.report.as_ref());
    reports.map(|report| report.attempt.at).max()
}

/// Attempts that failed, with no success after them.
struct Failures {
    since: i64,
    /// Of the last one.
    error: String,
}

fn last_failures(finished: &[Finished<DeliveryRow>]) -> Option<Failures> {
    let attempted = finished.iter().rev().filter(|done| done.attempted);
    let failed = attempted.take_while(|done| done.fate != Fate::Sent);
    let reports = failed.filter_map(|done| done.report.as_ref());
    let mut attempts = reports.map(|report| &report.attempt);
    let last = attempts.next()?;
    Some(Failures {
        since: attempts.last().unwrap_or(last).at,
        error: last.error.clone().unwrap_or_default(),
    })
}
