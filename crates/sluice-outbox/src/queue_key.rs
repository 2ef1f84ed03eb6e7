//! The name of a queue.

use std::fmt;

use sluice_model::WebhookId;
use sluice_store::sends::outbox::SendQueue;

/// Each webhook has a queue, and each user has one for each kind of send. A queue is independent of all others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum QueueKey {
    Webhook(WebhookId),
    Sends(SendQueue),
}

impl QueueKey {
    /// The name of its worker in metrics.
    pub(crate) fn worker(&self) -> &'static str {
        match self {
            QueueKey::Webhook(_) => "webhook",
            QueueKey::Sends(_) => "send_queue",
        }
    }

    /// The receiver as users are told of it.
    pub(crate) fn receiver(&self) -> &'static str {
        match self {
            QueueKey::Webhook(_) => "webhook",
            QueueKey::Sends(_) => "receiver",
        }
    }
}

impl fmt::Display for QueueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueKey::Webhook(id) => id.fmt(f),
            QueueKey::Sends(SendQueue { user_id, kind }) => {
                write!(f, "{user_id}/{}", kind.as_str())
            }
        }
    }
}
