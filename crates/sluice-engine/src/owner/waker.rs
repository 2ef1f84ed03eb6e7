//! Waking the recipients of a commit once it is durable.

use sluice_outbox::Outbox;
use sluice_store::routes::Listener;

use super::registry::Owners;
use crate::route::Recipients;

#[derive(Clone)]
pub struct Waker {
    owners: Owners,
    outbox: Outbox,
}

impl Waker {
    pub fn new(owners: Owners, outbox: Outbox) -> Waker {
        Waker { owners, outbox }
    }

    pub fn wake(&self, recipients: &Recipients) {
        for listener in recipients.listeners() {
            match listener {
                Listener::Webhook(id) => self.outbox.wake_webhook(id),
                Listener::Source(id) => self.owners.wake(id),
                Listener::Workflow(id) => self.owners.wake(id),
            }
        }
    }

    pub fn wake_sends(&self, due_at: i64) {
        self.outbox.wake_sends(due_at);
    }
}
