//! Polls for a condition.

use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Polls until `poll` returns a value. Panics with the name of the condition, `what`, after `deadline`.
pub async fn wait_for<T>(
    deadline: Duration,
    what: &str,
    mut poll: impl AsyncFnMut() -> Option<T>,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = poll().await {
            return value;
        }
        assert!(
            start.elapsed() < deadline,
            "timed out after {deadline:?} waiting for {what}"
        );
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
