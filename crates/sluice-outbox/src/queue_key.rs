//! The name of a queue.

use std::fmt;

use sluice_cluster::Hint;
use sluice_model::WebhookId;
use sluice_store::sends::outbox::SendQueue;

use crate::wakeup::Signal;

/// Each webhook has a queue, and each user has one for each kind of send. A queue is independent of all others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum QueueKey {
    Webhook(WebhookId),
    Sends(SendQueue),
}

impl QueueKey {
    /// The queue of a text, which another node wrote.
    pub(crate) fn parse(text: &str) -> Option<QueueKey> {
        let webhook = WebhookId::parse(text).map(QueueKey::Webhook);
        webhook.or_else(|| SendQueue::parse(text).map(QueueKey::Sends))
    }

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

    /// A wake-up for the node that has claimed the queue.
    pub(crate) fn hint(&self, signal: Signal) -> Hint {
        match signal {
            Signal::Wake => Hint::Queue(self.to_string()),
            Signal::Change => Hint::QueueChanged(self.to_string()),
        }
    }
}

/// The name under which the queue is claimed.
impl fmt::Display for QueueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueKey::Webhook(id) => id.fmt(f),
            QueueKey::Sends(queue) => queue.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::UserId;
    use sluice_store::sends::SendKind;

    use super::*;

    #[test]
    fn a_queue_is_found_by_its_text() {
        let sends = |kind| {
            QueueKey::Sends(SendQueue {
                user_id: UserId::parse("u_a").unwrap(),
                kind,
            })
        };
        for key in [
            QueueKey::Webhook(WebhookId::parse("wh_a").unwrap()),
            sends(SendKind::Http),
            sends(SendKind::Email),
            sends(SendKind::S3),
            sends(SendKind::NotificationEmail),
            sends(SendKind::NotificationWebhook),
        ] {
            assert_eq!(QueueKey::parse(&key.to_string()), Some(key));
        }
        for text in ["", "wh_", "dc_a", "wh_a/http", "u_a", "u_a/", "/http"] {
            assert_eq!(QueueKey::parse(text), None, "{text}");
        }
    }
}
