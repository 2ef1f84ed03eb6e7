//! A clock that is never set and runs on while the machine sleeps: a lease must not outlive a suspension.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Milliseconds since the start of the machine.
pub(crate) fn now_ms() -> i64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// The time from now until then.
pub(crate) fn until(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms - now_ms()).unwrap_or(0))
}
