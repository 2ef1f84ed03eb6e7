//! Observing deliveries.

use sluice_model::{UserId, WebhookId};

/// Is told of attempts to deliver to webhooks when they are recorded.
pub trait DeliveryObserver: Send + Sync {
    fn attempted(&self, user: &UserId, webhook: &WebhookId, delivered: u64, failed: u64);
}
