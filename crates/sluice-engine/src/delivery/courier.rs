//! One webhook's courier: it lives while something waits for its webhook, due now or later.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sluice_model::WebhookId;
use sluice_store::{
    BatchLimit, Conn, StoreError,
    deliveries::{self, Due},
    webhooks::{self, Webhook},
};

use super::{bell::Bell, health::Health, round::Round};
use crate::context::Context;

/// What is read at once: little, because there may be thousands of couriers with a large backlog each.
const PAGE: BatchLimit = BatchLimit {
    rows: 200,
    bytes: 512 * 1024,
};
/// While the store is unavailable.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Courier {
    context: Arc<Context>,
    webhook: WebhookId,
    bell: Arc<Bell>,
    health: Health,
}

/// What waits for a webhook.
enum Waiting {
    Due(Webhook, Vec<Due>),
    Later(i64),
    /// Or the webhook is inactive or gone.
    Nothing,
}

enum Next {
    /// There may be more.
    Look,
    Rest(Duration),
    /// Nothing waits.
    Over,
}

impl Courier {
    pub(super) fn new(context: Arc<Context>, webhook: WebhookId, bell: Arc<Bell>) -> Courier {
        Courier {
            context,
            webhook,
            bell,
            health: Health::default(),
        }
    }

    pub(super) async fn run(mut self) {
        while !self.context.draining.is_cancelled() {
            if let Some(end) = self.health.pause(Instant::now()) {
                let time = end.saturating_duration_since(Instant::now());
                self.wait(time, self.bell.changed()).await;
            }
            if self.bell.hush() {
                // It may be well now, and whoever mended it wants to see that.
                self.health = Health::default();
            }
            match self.deliver().await {
                Next::Look => {}
                Next::Rest(time) => self.wait(time, self.bell.rung()).await,
                Next::Over => {
                    if self.context.couriers.dismiss(&self.webhook, &self.bell) {
                        return;
                    }
                }
            }
        }
    }

    /// Waits for a time, or something that comes before that; and no longer than the server runs.
    async fn wait(&self, time: Duration, event: impl Future<Output = ()>) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = event => {}
            () = self.context.draining.cancelled() => {}
        }
    }

    /// Sends a page of what is due.
    async fn deliver(&mut self) -> Next {
        match self.read().await {
            Ok(Waiting::Due(webhook, due)) => {
                let Courier {
                    context,
                    bell,
                    health,
                    ..
                } = self;
                Round::new(context, &webhook, bell, health, due).run().await;
                Next::Look
            }
            Ok(Waiting::Later(at)) => {
                let time = at.saturating_sub(self.context.clock.now_ms());
                Next::Rest(Duration::from_millis(u64::try_from(time).unwrap_or(0)))
            }
            Ok(Waiting::Nothing) => Next::Over,
            Err(error) if error.is_retryable() => Next::Rest(PAUSE),
            Err(error) => {
                tracing::error!(%error, webhook = %self.webhook, "what waits for a webhook cannot be read");
                Next::Over
            }
        }
    }

    async fn read(&self) -> Result<Waiting, StoreError> {
        let id = self.webhook.clone();
        let now = self.context.clock.now_ms();
        let read = move |c: &mut dyn Conn| {
            let webhook = webhooks::get_for_delivery(c, &id)?;
            let Some(webhook) = webhook.filter(|webhook| webhook.active) else {
                return Ok(Waiting::Nothing);
            };
            let due = deliveries::due(c, &id, now, PAGE)?;
            if !due.is_empty() {
                return Ok(Waiting::Due(webhook, due));
            }
            let next = deliveries::next_due(c, &id, now)?;
            Ok(next.map_or(Waiting::Nothing, Waiting::Later))
        };
        self.context.store.read(read).await
    }
}
