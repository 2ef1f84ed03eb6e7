//! Wake-ups of a worker. They are coalesced and never lost.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Debug, Default)]
pub(crate) struct Wakeup {
    woken: AtomicBool,
    changed: AtomicBool,
    notify: Notify,
}

impl Wakeup {
    /// Something may be due.
    pub(crate) fn wake(&self) {
        self.woken.store(true, Ordering::SeqCst);
        self.notify.notify_one();
    }

    /// The destination was changed or removed.
    pub(crate) fn change(&self) {
        self.changed.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// Whether there was a wake-up since the last call.
    pub(crate) fn take(&self) -> bool {
        self.woken.swap(false, Ordering::SeqCst)
    }

    /// Whether there was a change since the last call.
    pub(crate) fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.woken.load(Ordering::SeqCst)
    }

    /// Waits for a wake-up that was not taken yet.
    pub(crate) async fn pending(&self) {
        while !self.is_pending() {
            self.notify.notified().await;
        }
    }
}
