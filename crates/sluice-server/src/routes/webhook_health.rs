//! The health of webhooks, in responses.

use sluice_api::{FailingWebhook, WebhookHealth, WebhookStatus};
use sluice_app::{App, NamedWebhook};
use sluice_store::webhooks::Webhook;

use crate::error::ApiError;

/// The health of one webhook.
pub(super) async fn of(app: &App, webhook: &Webhook) -> Result<WebhookHealth, ApiError> {
    let health = app.webhooks.health(std::slice::from_ref(webhook)).await?;
    let health = health.into_iter().next().map(on_the_wire);
    health.ok_or(ApiError::NotFound("webhook"))
}

pub(super) fn on_the_wire(health: sluice_app::WebhookHealth) -> WebhookHealth {
    WebhookHealth {
        status: match health.status {
            sluice_app::WebhookStatus::Inactive => WebhookStatus::Inactive,
            sluice_app::WebhookStatus::Healthy => WebhookStatus::Healthy,
            sluice_app::WebhookStatus::Failing => WebhookStatus::Failing,
            sluice_app::WebhookStatus::Paused => WebhookStatus::Paused,
        },
        failing_since: health.failing_since,
        error: health.error,
        next_attempt_at: health.next_attempt_at,
    }
}

pub(super) fn failing_webhook(webhook: NamedWebhook) -> FailingWebhook {
    FailingWebhook {
        id: webhook.id,
        name: webhook.name,
        health: on_the_wire(webhook.health),
    }
}
