//! Exponential backoff: the pauses between retries of one operation.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// Each pause is twice the one before, up to a longest one. It never gives up: the caller decides when to stop.
#[derive(Debug)]
pub struct Backoff {
    builder: ExponentialBuilder,
    delays: ExponentialBackoff,
}

impl Backoff {
    pub fn new(first: Duration, longest: Duration) -> Backoff {
        let builder = ExponentialBuilder::new()
            .with_factor(2.0)
            .with_min_delay(first)
            .with_max_delay(longest)
            .without_max_times();
        Backoff {
            delays: builder.build(),
            builder,
        }
    }

    /// For operations of the store: an outage is noticed at once and retried every five seconds.
    pub fn store() -> Backoff {
        Backoff::new(Duration::from_millis(100), Duration::from_secs(5))
    }

    /// The pause before the next retry.
    pub fn next_delay(&mut self) -> Duration {
        self.delays.next().unwrap_or(Duration::MAX)
    }

    /// After a success the pauses begin anew.
    pub fn reset(&mut self) {
        self.delays = self.builder.build();
    }

    /// Sleeps for the next pause.
    pub async fn sleep(&mut self) {
        tokio::time::sleep(self.next_delay()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_begin_anew_after_a_reset() {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(500));
        let mut next = |count: usize| -> Vec<u128> {
            (0..count)
                .map(|_| backoff.next_delay().as_millis())
                .collect()
        };
        assert_eq!(next(5), [100, 200, 400, 500, 500]);
        assert!(next(200).iter().all(|pause| *pause == 500));
        backoff.reset();
        assert_eq!(backoff.next_delay().as_millis(), 100);
    }
}
