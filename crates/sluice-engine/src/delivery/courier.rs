//! One webhook's courier: it lives while something waits for its webhook, due now or later.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sluice_model::WebhookId;
use sluice_store::{
    Conn, StoreError,
    deliveries::{self, Due, Room},
    webhooks::{self, Webhook},
};

use super::{bell::Bell, health::Health, round::Round};
use crate::context::Context;

/// What is read at once, so that a large backlog does not fill the memory.
const PAGE: Room = Room {
    rows: 100,
    bytes: 8 * 1024 * 1024,
};
/// While the store is unavailable.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a courier that pauses looks whether its webhook was changed.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct Courier {
    context: Arc<Context>,
    webhook: WebhookId,
    bell: Arc<Bell>,
    health: Health,
    /// Which version of the webhook the health is that of.
    version: i64,
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
            version: 0,
        }
    }

    pub(super) async fn run(mut self) {
        while !self.context.draining.is_cancelled() {
            self.pause().await;
            self.bell.hush();
            match self.deliver().await {
                Next::Look => {}
                Next::Rest(time) => {
                    self.until(async |bell| {
                        let _ = tokio::time::timeout(time, bell.rung()).await;
                    })
                    .await;
                }
                Next::Over => {
                    if self.context.couriers.dismiss(&self.webhook, &self.bell) {
                        return;
                    }
                }
            }
        }
    }

    /// Sends a page of what is due.
    async fn deliver(&mut self) -> Next {
        match self.read().await {
            Ok(Waiting::Due(webhook, due)) => {
                self.version = webhook.updated_at;
                Round::new(&self.context, &webhook, &mut self.health, due)
                    .run()
                    .await;
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

    /// Waits until the webhook may be sent something, which is at once when somebody changes it.
    async fn pause(&mut self) {
        while let Some(end) = self.health.pause(Instant::now())
            && !self.context.draining.is_cancelled()
        {
            self.bell.hush();
            let time = end.saturating_duration_since(Instant::now());
            self.until(async |bell| {
                let _ = tokio::time::timeout(time, bell.rung()).await;
            })
            .await;
            if self.bell.is_rung() && self.is_changed().await {
                self.health = Health::default();
            } else if self.bell.is_rung() {
                self.until(async |_| tokio::time::sleep(LOOK.min(time)).await)
                    .await;
            }
        }
    }

    async fn is_changed(&self) -> bool {
        let id = self.webhook.clone();
        let read = self
            .context
            .store
            .read(move |c| webhooks::get_for_delivery(c, &id));
        let version = read.await.map(|webhook| webhook.map(|w| w.updated_at));
        version.is_ok_and(|version| version != Some(self.version))
    }

    /// Waits for something, and no longer than the server runs.
    async fn until(&self, awaited: impl AsyncFnOnce(&Bell)) {
        tokio::select! {
            () = awaited(&self.bell) => {}
            () = self.context.draining.cancelled() => {}
        }
    }
}
