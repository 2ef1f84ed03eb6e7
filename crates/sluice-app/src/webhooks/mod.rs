//! Webhooks and the history of their deliveries.

mod address;
mod deliveries;
mod health;
mod manage;
mod secret;

pub use deliveries::{ReplayRange, ReplayedDelivery};
pub use health::{WebhookHealth, WebhookStatus};
pub use manage::{NewWebhook, WebhookChange, WebhookWithSecret, Webhooks};
