//! How a courier is told that there may be something to do, or that its webhook is another. A ring is never lost, and
//! many are one.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Bell {
    rung: AtomicBool,
    changed: AtomicBool,
    notify: Notify,
}

impl Bell {
    /// There may be something to do.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.notify.notify_one();
    }

    /// The webhook was changed.
    pub(super) fn ring_for_change(&self) {
        self.changed.store(true, Ordering::SeqCst);
        self.ring();
    }

    /// From here on only new rings count. Answers whether the webhook was changed before.
    pub(super) fn hush(&self) -> bool {
        self.rung.store(false, Ordering::SeqCst);
        self.changed.swap(false, Ordering::SeqCst)
    }

    pub(super) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }

    /// Waits for a ring since the last hush.
    pub(super) async fn rung(&self) {
        while !self.is_rung() {
            self.notify.notified().await;
        }
    }

    /// Waits until the webhook has been changed since the last hush.
    pub(super) async fn changed(&self) {
        while !self.is_changed() {
            self.notify.notified().await;
        }
    }
}
