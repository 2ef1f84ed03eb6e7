//! How a workflow runs.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkflowSettings {
    /// For one step; the server's own limit when none is given.
    pub timeout_seconds: Option<u32>,
    /// Runs that may be under way at once. Those that wait for something do not count.
    pub concurrency: u32,
    pub throttle: Option<Throttle>,
    /// Events that may wait for their turn.
    pub queue: u32,
    /// What becomes of a step that fails, where it does not say so itself.
    pub retry: RetryPolicy,
}

impl WorkflowSettings {
    pub const DEFAULT_CONCURRENCY: u32 = 16;
    pub const DEFAULT_QUEUE: u32 = 10_000;

    pub const TIMEOUT_SECONDS: RangeInclusive<u32> = 1..=3600;
    pub const CONCURRENCY: RangeInclusive<u32> = 1..=1000;
    pub const QUEUE: RangeInclusive<u32> = 1..=1_000_000;
}

impl Default for WorkflowSettings {
    fn default() -> Self {
        WorkflowSettings {
            timeout_seconds: None,
            concurrency: Self::DEFAULT_CONCURRENCY,
            throttle: None,
            queue: Self::DEFAULT_QUEUE,
            retry: RetryPolicy::default(),
        }
    }
}

/// So many runs may begin in each interval; the intervals follow one another from the epoch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttle {
    /// None may begin when it is 0.
    pub limit: u32,
    pub interval_seconds: u32,
}

impl Throttle {
    pub const LIMIT: RangeInclusive<u32> = 0..=10_000;
    pub const INTERVAL_SECONDS: RangeInclusive<u32> = 1..=86_400;
}

/// Runs a step that failed again, after pauses that double.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryPolicy {
    /// Runs after the first that failed; 0 is no retry.
    pub max_retries: u32,
    /// Before the first of them.
    pub delay_seconds: u32,
    /// No pause is longer.
    pub max_delay_seconds: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            max_retries: 0,
            delay_seconds: 10,
            max_delay_seconds: 3600,
        }
    }
}

impl RetryPolicy {
    pub const MAX_RETRIES: RangeInclusive<u32> = 0..=100;
    /// Of any one pause.
    pub const PAUSE_SECONDS: RangeInclusive<u32> = 0..=86_400;

    /// How long to wait after a step has failed for the `failures`th time in a row; none when it is not run again.
    pub fn pause_ms(&self, failures: u32) -> Option<i64> {
        if failures == 0 || failures > self.max_retries {
            return None;
        }
        let doubled = 1_u64.checked_shl(failures - 1).unwrap_or(u64::MAX);
        let seconds = u64::from(self.delay_seconds)
            .saturating_mul(doubled)
            .min(u64::from(self.max_delay_seconds));
        i64::try_from(seconds * 1000).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_end_with_the_last_retry() {
        let policy = RetryPolicy {
            max_retries: 5,
            delay_seconds: 10,
            max_delay_seconds: 60,
        };
        let pauses: Vec<_> = (0..=6).map(|failures| policy.pause_ms(failures)).collect();
        let ms = |seconds: i64| Some(seconds * 1000);
        assert_eq!(pauses, [None, ms(10), ms(20), ms(40), ms(60), ms(60), None]);
        assert_eq!(RetryPolicy::default().pause_ms(1), None);
    }
}
