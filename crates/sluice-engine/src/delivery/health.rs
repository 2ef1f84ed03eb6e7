//! How a webhook is doing: a circuit breaker, and the pauses that its receiver asks for.
//!
//! After some failures in a row nothing is sent for a while; then one delivery is a probe, whose success closes the
//! breaker and whose failure doubles the pause.

use std::time::{Duration, Instant};

const FAILURES_IN_A_ROW: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// Failing for so long is no passing weakness.
const LONG: Duration = Duration::from_hours(1);

#[derive(Debug, Default)]
pub(super) struct Health {
    failures: u32,
    failing_since: Option<Instant>,
    paused_until: Option<Instant>,
}

impl Health {
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
        self.failing_since = None;
    }

    pub(super) fn failed(&mut self, now: Instant, jitter: f64) {
        // What was under way when the pause began tells nothing new.
        if self.pause(now).is_some() {
            return;
        }
        self.failing_since.get_or_insert(now);
        self.failures += 1;
        if self.is_failing() {
            let doublings = (self.failures - FAILURES_IN_A_ROW).min(16);
            let pause = (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE);
            self.pause_until(now + pause.mul_f64(jitter));
        }
    }

    /// Nothing is sent before that.
    pub(super) fn pause_until(&mut self, until: Instant) {
        self.paused_until = self.paused_until.max(Some(until));
    }

    /// Until when nothing is to be sent.
    pub(super) fn pause(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    /// Whether the breaker is open, so that what is sent after the pause is a probe.
    pub(super) fn is_failing(&self) -> bool {
        self.failures >= FAILURES_IN_A_ROW
    }

    pub(super) fn has_failed_for_long(&self, now: Instant) -> bool {
        let since = self.failing_since.filter(|_| self.is_failing());
        since.is_some_and(|since| now.duration_since(since) >= LONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn five_failures_in_a_row_pause_it_and_each_probe_that_fails_doubles_the_pause() {
        let mut now = Instant::now();
        let mut health = Health::default();
        for _ in 0..4 {
            health.failed(now, 1.0);
            assert_eq!(health.pause(now), None);
            assert!(!health.is_failing());
        }
        for seconds in [5, 10, 20, 40, 80, 160, 300, 300] {
            health.failed(now, 1.0);
            assert!(health.is_failing());
            assert_eq!(health.pause(now), Some(now + secs(seconds)));
            now += secs(seconds);
            assert_eq!(health.pause(now), None, "time for a probe");
        }
    }

    #[test]
    fn a_success_closes_the_breaker() {
        let now = Instant::now();
        let mut health = Health::default();
        for _ in 0..5 {
            health.failed(now, 1.0);
        }
        health.succeeded();
        assert!(!health.is_failing());
        let later = now + secs(5);
        for _ in 0..4 {
            health.failed(later, 1.0);
        }
        assert_eq!(health.pause(later), None);
    }

    #[test]
    fn attempts_that_were_under_way_when_it_paused_do_not_count() {
        let now = Instant::now();
        let mut health = Health::default();
        for _ in 0..64 {
            health.failed(now, 1.2);
        }
        assert_eq!(health.pause(now), Some(now + secs(6)));
    }

    #[test]
    fn the_longer_pause_holds() {
        let now = Instant::now();
        let mut health = Health::default();
        health.pause_until(now + secs(60));
        health.pause_until(now + secs(10));
        assert_eq!(health.pause(now), Some(now + secs(60)));
        assert!(!health.is_failing());
    }

    #[test]
    fn it_has_failed_for_long_after_an_hour_without_a_success() {
        let now = Instant::now();
        let mut health = Health::default();
        for minute in 0..5 {
            health.failed(now + secs(minute * 60), 1.0);
        }
        assert!(!health.has_failed_for_long(now + secs(3_599)));
        assert!(health.has_failed_for_long(now + secs(3_600)));
        health.succeeded();
        assert!(!health.has_failed_for_long(now + secs(9_999)));
    }
}
