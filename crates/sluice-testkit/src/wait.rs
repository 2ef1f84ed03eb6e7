//! Waiting for something the server does in its own time.

use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Polls until `poll` gives a value. Panics, naming `what` was awaited, when `deadline` has passed.
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
            "waited {deadline:?} in vain for {what}"
        );
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
