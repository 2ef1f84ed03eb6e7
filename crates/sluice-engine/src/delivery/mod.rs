//! Carrying events from the outbox to webhooks.

use std::sync::Arc;

use sluice_model::WebhookId;

use crate::context::Context;

/// Those who deliver: one for each webhook that has something waiting.
#[derive(Default)]
pub(crate) struct Couriers {}

impl Couriers {
    /// Something may be due for a webhook.
    pub(crate) fn wake(&self, context: &Arc<Context>, webhook: &WebhookId) {
        let _ = (self, context, webhook);
    }
}
