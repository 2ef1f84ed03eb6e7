//! Webhooks and the history of their deliveries.

mod address;
mod changed_fields;
mod deliveries;
mod health;
mod manage;
mod secret;

pub(crate) use address::error as address_error;
pub use deliveries::{ReplayRange, ReplayedDelivery};
pub use health::{WebhookHealth, WebhookStatus};
pub(crate) use manage::OLD_SECRET_SIGNS_FOR_MS;
pub use manage::{NewWebhook, WebhookChange, WebhookWithSecret, Webhooks};
pub(crate) use secret::NewSecret;
