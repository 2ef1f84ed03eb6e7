//! How a courier is told that there may be something to do. A ring is never lost, and many are one.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Bell {
    rung: AtomicBool,
    notify: Notify,
}

impl Bell {
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.notify.notify_one();
    }

    /// From here on only new rings count.
    pub(super) fn hush(&self) {
        self.rung.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    /// Waits for a ring since the last hush.
    pub(super) async fn rung(&self) {
        while !self.is_rung() {
            self.notify.notified().await;
        }
    }
}
