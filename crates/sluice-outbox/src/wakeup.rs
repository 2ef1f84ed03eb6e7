//! Wake-ups of a worker. They are coalesced and never lost.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tokio::sync::Notify;

/// The reason of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Something may be due.
    Wake,
    /// The destination was changed or removed: nothing more is sent to the old one.
    Change,
}

#[derive(Debug, Default)]
pub(crate) struct Wakeup {
    woken: AtomicBool,
    changed: AtomicBool,
    notify: Notify,
    destination_time: AtomicI64,
}

impl Wakeup {
    pub(crate) fn signal(&self, signal: Signal) {
        if signal == Signal::Change {
            self.changed.store(true, Ordering::SeqCst);
        }
        self.woken.store(true, Ordering::SeqCst);
        self.notify.notify_one();
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

    /// The worker has read its destination, which was last changed then.
    pub(crate) fn set_destination_time(&self, changed_at: i64) {
        self.destination_time.store(changed_at, Ordering::SeqCst);
    }

    /// When the destination that the worker uses was last changed; `None` when it has read none.
    pub(crate) fn destination_time(&self) -> Option<i64> {
        match self.destination_time.load(Ordering::SeqCst) {
            0 => None,
            changed_at => Some(changed_at),
        }
    }
}
