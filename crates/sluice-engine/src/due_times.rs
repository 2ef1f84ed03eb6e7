//! The scheduler's next due time, in memory: a timer that is armed must not be slept over.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub struct DueTimes(Arc<Inner>);

#[derive(Default)]
struct Inner {
    earliest: Mutex<Option<i64>>,
    changed: Notify,
}

impl DueTimes {
    /// Work was stored that is due at `due_ms`: the scheduler wakes up for it.
    pub fn arm(&self, due_ms: i64) {
        let mut earliest = self.0.earliest.lock();
        if earliest.is_none_or(|known| due_ms < known) {
            *earliest = Some(due_ms);
            self.0.changed.notify_one();
        }
    }

    /// The earliest time armed since the last call.
    pub(crate) fn take(&self) -> Option<i64> {
        self.0.earliest.lock().take()
    }

    /// Completes when an earlier time is armed.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}
