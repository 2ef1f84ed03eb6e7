//! Sending a page of due deliveries, and recording what came of them while the rest is sent.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use sluice_store::{
    deliveries::{Attempt, AttemptOutcome, AttemptRecord, Due},
    webhooks::Webhook,
};

use super::{
    Couriers,
    bell::Bell,
    health::Health,
    journal::Note,
    recording::{self, Group},
    schedule::{jitter, millis},
    sending::{Destination, Report, Verdict},
};
use crate::{context::Context, metrics::ResultLabel};

/// The least that a receiver gets when it asks for a pause.
const LEAST_PAUSE: Duration = Duration::from_secs(1);
const UNRECORDED_PAUSE: Duration = Duration::from_mins(5);

pub(super) struct Round<'a> {
    context: &'a Arc<Context>,
    webhook: &'a Webhook,
    bell: &'a Bell,
    health: &'a mut Health,
    waiting: VecDeque<Due>,
    tried: Vec<AttemptRecord>,
    notes: Vec<Note>,
    /// The receiver said that it is gone.
    gone: bool,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        context: &'a Arc<Context>,
        webhook: &'a Webhook,
        bell: &'a Bell,
        health: &'a mut Health,
        due: Vec<Due>,
    ) -> Round<'a> {
        Round {
            context,
            webhook,
            bell,
            health,
            waiting: due.into(),
            tried: Vec::new(),
            notes: Vec::new(),
            gone: false,
        }
    }

    /// Ends when everything that was sent is recorded.
    pub(super) async fn run(mut self) {
        self.give_up_what_waited_too_long();
        if self.health.is_failing() {
            // One is a probe; the others lose no try.
            self.waiting.truncate(1);
        }
        let context = self.context;
        let to = Destination::new(&context.vault, self.webhook);
        let concurrency = usize::try_from(self.webhook.concurrency.max(1)).unwrap_or(1);
        let mut under_way = FuturesUnordered::new();
        let mut writing: Option<Pin<Box<_>>> = None;
        loop {
            while under_way.len() < concurrency
                && self.may_begin()
                && let Some(due) = self.waiting.pop_front()
            {
                under_way.push(attempt(context, &to, due));
            }
            if writing.is_none() && !self.tried.is_empty() {
                let group = Group {
                    user: self.webhook.user_id.clone(),
                    webhook: self.webhook.id.clone(),
                    tried: std::mem::take(&mut self.tried),
                    notes: std::mem::take(&mut self.notes),
                    gone: self.gone,
                };
                writing = Some(Box::pin(recording::record(context, group)));
            }
            tokio::select! {
                Some(ended) = under_way.next(), if !under_way.is_empty() => {
                    if let Some((due, report)) = ended {
                        self.judge(due, report);
                    }
                }
                recorded = ended(&mut writing), if writing.is_some() => {
                    writing = None;
                    if !recorded {
                        // What is not recorded is due as before, and must not be sent over and over.
                        self.health.pause_until(Instant::now() + UNRECORDED_PAUSE);
                    }
                }
                else => return,
            }
        }
    }

    fn may_begin(&self) -> bool {
        !self.gone
            && !self.bell.is_changed()
            && !self.context.draining.is_cancelled()
            && self.health.pause(Instant::now()).is_none()
    }

    /// So that what waits for a dead webhook does not grow without bound.
    fn give_up_what_waited_too_long(&mut self) {
        if !self.health.has_failed_for_long(Instant::now()) {
            return;
        }
        let schedule = &self.couriers().schedule;
        let now = self.context.clock.now_ms();
        for due in std::mem::take(&mut self.waiting) {
            if !schedule.is_past_patience(due.due_since(), now) {
                self.waiting.push_back(due);
                continue;
            }
            let attempt = Attempt {
                at: now,
                status: None,
                latency_ms: 0,
                response: None,
                error: Some(format!(
                    "given up: it was due for more than {:?} and the webhook did not work",
                    schedule.patience()
                )),
            };
            let tries = due.tries;
            self.finish(due, attempt, tries, AttemptOutcome::Failed);
        }
    }

    fn judge(&mut self, due: Due, report: Report) {
        let Report { attempt, verdict } = report;
        self.count(&due, &verdict);
        let now = Instant::now();
        let tries = due.tries + 1;
        match verdict {
            Verdict::Delivered(note) => {
                self.health.succeeded();
                self.notes.extend(note);
                self.finish(due, attempt, tries, AttemptOutcome::Delivered);
            }
            Verdict::Failed { retry_after } => {
                self.health.failed(now, jitter());
                let pause = self.couriers().schedule.after(tries, retry_after, jitter());
                let outcome = pause.map_or(AttemptOutcome::Failed, |pause| AttemptOutcome::Retry {
                    due_at: self.context.clock.now_ms().saturating_add(millis(pause)),
                });
                self.finish(due, attempt, tries, outcome);
            }
            Verdict::NotNow(pause) => {
                self.health.failed(now, jitter());
                self.health.pause_until(now + pause.max(LEAST_PAUSE));
                // It keeps its place before the others and loses no try: the receiver has not judged it.
                let (tries, due_at) = (due.tries, due.due_at);
                self.finish(due, attempt, tries, AttemptOutcome::Retry { due_at });
            }
            Verdict::Gone => {
                self.gone = true;
                self.finish(due, attempt, tries, AttemptOutcome::Failed);
            }
        }
    }

    fn finish(&mut self, due: Due, attempt: Attempt, tries: u32, outcome: AttemptOutcome) {
        if outcome == AttemptOutcome::Failed {
            self.context.metrics.deliveries_failed.inc();
        }
        let mut attempts = due.attempts;
        attempts.push(attempt);
        self.tried.push(AttemptRecord {
            id: due.id,
            was_due_at: due.due_at,
            outcome,
            tries,
            attempts,
        });
    }

    fn count(&self, due: &Due, verdict: &Verdict) {
        let metrics = &self.context.metrics;
        let delivered = matches!(verdict, Verdict::Delivered(_));
        let result = if delivered { "ok" } else { "error" };
        metrics
            .deliveries
            .get_or_create(&ResultLabel { result })
            .inc();
        // The time since an old event that somebody asked for again tells nothing.
        let replayed = due.tries == 0 && due.due_at > due.created_at;
        if delivered && !replayed {
            let since = self.context.clock.now_ms().saturating_sub(due.created_at);
            let since = Duration::from_millis(u64::try_from(since).unwrap_or(0));
            metrics.delivery_seconds.observe(since.as_secs_f64());
        }
    }

    fn couriers(&self) -> &'a Couriers {
        &self.context.couriers
    }
}

/// One try, when there is a place for it; none when the server stops before that.
async fn attempt(context: &Context, to: &Destination, mut due: Due) -> Option<(Due, Report)> {
    let Couriers {
        places,
        sender,
        journal,
        ..
    } = &context.couriers;
    let _place = tokio::select! {
        biased;
        () = context.draining.cancelled() => return None,
        place = places.acquire() => place.ok()?,
    };
    let report = sender.send(&*context.clock, journal, to, &mut due).await;
    Some((due, report))
}

async fn ended(writing: &mut Option<Pin<Box<impl Future<Output = bool>>>>) -> bool {
    match writing {
        Some(writing) => writing.await,
        None => true,
    }
}
