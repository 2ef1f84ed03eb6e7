//! Settings of a workflow: timeout, concurrency, rate limit, queue and retries.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkflowSettings {
    /// For one step. The default is the limit of the server.
    pub timeout_seconds: Option<u32>,
    /// The number of concurrent runs. Paused runs do not count.
    pub concurrency: u32,
    pub throttle: Option<Throttle>,
    /// The number of events that may be queued.
    pub queue: u32,
    /// The default retry policy of the steps.
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

/// A rate limit: the number of runs that may start in each interval. Intervals are aligned to the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttle {
    /// 0 allows no runs.
    pub limit: u32,
    pub interval_seconds: u32,
}

impl Throttle {
    pub const LIMIT: RangeInclusive<u32> = 0..=10_000;
    pub const INTERVAL_SECONDS: RangeInclusive<u32> = 1..=86_400;
}

/// Retries a failed step with exponential backoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryPolicy {
    /// The number of retries. 0 disables them.
    pub max_retries: u32,
    /// The delay before the first retry.
    pub delay_seconds: u32,
    /// The upper limit of the delay.
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
    /// The range of every delay.
    pub const DELAY_SECONDS: RangeInclusive<u32> = 0..=86_400;

    /// The backoff after the `failures`th failure in a row. None when there is no further retry.
    pub fn backoff_ms(&self, failures: u32) -> Option<i64> {
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
    fn backoff_doubles_up_to_the_limit_and_ends_with_the_last_retry() {
        let policy = RetryPolicy {
            max_retries: 5,
            delay_seconds: 10,
            max_delay_seconds: 60,
        };
        let delays: Vec<_> = (0..=6)
            .map(|failures| policy.backoff_ms(failures))
            .collect();
        let ms = |seconds: i64| Some(seconds * 1000);
        assert_eq!(delays, [None, ms(10), ms(20), ms(40), ms(60), ms(60), None]);
        assert_eq!(RetryPolicy::default().backoff_ms(1), None);
    }
}
