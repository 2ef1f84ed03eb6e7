//! The time limit of a load. On a busy machine a process waits for a core, and that is not its fault.

use std::{fs, future::Future, pin::pin, time::Duration};

use tokio::time::{Instant, timeout_at};

/// The time without a core that is added to a limit, at most, as a multiple of it.
const MOST_WAITING: u32 = 4;

/// The result of a load within its limit. Time in which the process was ready to run and had no core does not count.
pub(crate) async fn within<T>(
    limit: Duration,
    pid: Option<u32>,
    load: impl Future<Output = T>,
) -> Option<T> {
    let mut load = pin!(load);
    let start = Instant::now();
    let waited_before = waited_for_core(pid);
    let mut deadline = start + limit;
    loop {
        if let Ok(loaded) = timeout_at(deadline, &mut load).await {
            return Some(loaded);
        }
        let waited = waited_for_core(pid).saturating_sub(waited_before);
        let extended = start + limit + waited.min(limit * MOST_WAITING);
        if extended <= Instant::now() {
            return None;
        }
        deadline = extended;
    }
}

/// How long the process was ready to run without a core, since it started. The kernel counts it.
fn waited_for_core(pid: Option<u32>) -> Duration {
    let read = |pid: u32| fs::read_to_string(format!("/proc/{pid}/schedstat")).ok();
    let nanoseconds = pid.and_then(read).and_then(|text| {
        let waited = text.split_ascii_whitespace().nth(1)?;
        waited.parse().ok()
    });
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    #[tokio::test]
    async fn a_process_that_only_waits_has_its_limit() {
        let limit = Duration::from_millis(20);
        let never = std::future::pending::<()>();
        let start = Instant::now();
        assert_eq!(within(limit, None, never).await, None);
        assert!(start.elapsed() >= limit);
        assert_eq!(within(limit, None, async { 5 }).await, Some(5));
    }

    #[test]
    fn the_kernel_knows_how_long_a_process_waited() {
        let text = fs::read_to_string(format!("/proc/{}/schedstat", process::id()));
        let fields = text.map(|text| text.split_ascii_whitespace().count());
        assert_eq!(fields.ok(), Some(3));
    }
}
