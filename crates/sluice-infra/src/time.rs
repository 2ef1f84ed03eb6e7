//! Conversions between durations and the epoch milliseconds that the clock and the store count.

use std::time::Duration;

/// Usage is counted by UTC days.
pub const MS_PER_DAY: i64 = 86_400_000;
/// Activity is counted by UTC hours.
pub const MS_PER_HOUR: i64 = 3_600_000;

/// Whole milliseconds, saturating.
pub fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Compute time as it is counted: in milliseconds, at least one.
pub fn compute_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis())
        .unwrap_or(u64::MAX)
        .max(1)
}

/// The time left until `due_ms`; zero when that is past.
pub fn until(due_ms: i64, now_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(due_ms.saturating_sub(now_ms)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_due_time_leaves_no_wait() {
        assert_eq!(until(5, 7), Duration::ZERO);
        assert_eq!(until(7, 5), Duration::from_millis(2));
        assert_eq!(
            until(i64::MAX, i64::MIN),
            Duration::from_millis(i64::MAX as u64)
        );
    }

    #[test]
    fn a_duration_beyond_the_range_saturates() {
        assert_eq!(millis(Duration::MAX), i64::MAX);
        assert_eq!(millis(Duration::from_secs(2)), 2_000);
    }
}
