//! Limits how often one process can make the broker work.

use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_millis(100);
const MAX_IN_WINDOW: u32 = 1000;

/// Counts calls in windows of time.
pub(super) struct CallRate {
    since: Instant,
    count: u32,
}

impl Default for CallRate {
    fn default() -> CallRate {
        CallRate {
            since: Instant::now(),
            count: 0,
        }
    }
}

impl CallRate {
    /// Counts a call. A process that makes too many waits until the next window.
    pub(super) async fn wait(&mut self) {
        let elapsed = self.since.elapsed();
        if elapsed >= WINDOW {
            *self = CallRate::default();
        } else if self.count >= MAX_IN_WINDOW {
            tokio::time::sleep(WINDOW.saturating_sub(elapsed)).await;
            *self = CallRate::default();
        }
        self.count += 1;
    }
}
