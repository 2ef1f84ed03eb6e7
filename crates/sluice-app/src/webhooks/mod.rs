//! Webhooks and the history of their deliveries.

mod address;
mod deliveries;
mod manage;
mod secret;

pub use deliveries::ReplayRange;
pub use manage::{NewWebhook, WebhookChange, WebhookWithSecret, Webhooks};
