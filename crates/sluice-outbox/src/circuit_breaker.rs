//! A circuit breaker for one receiver, and the pauses that the receiver asks for.
//!
//! After failures in a row the breaker opens: nothing is sent for a pause, then one attempt is a probe. A probe that
//! succeeds closes the breaker, a probe that fails doubles the pause.

use std::time::Duration;

use tokio::time::Instant;

const FAILURES_IN_A_ROW: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// After this long without a success the receiver counts as down.
const DOWN_AFTER: Duration = Duration::from_hours(1);

#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    failing_since: Option<Instant>,
    paused_until: Option<Instant>,
    tripped: bool,
}

/// The part of a breaker that outlives its worker. A breaker that is closed and does not pause has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenState {
    /// Zero when it only pauses.
    pub(crate) failures: u32,
    pub(crate) paused_until: Option<Instant>,
}

impl CircuitBreaker {
    /// A breaker that was opened by another worker. The receiver counts as down no sooner than after an hour here.
    pub(crate) fn opened(state: OpenState) -> CircuitBreaker {
        CircuitBreaker {
            failures: state.failures,
            paused_until: state.paused_until,
            ..CircuitBreaker::default()
        }
    }

    pub(crate) fn open_state(&self, now: Instant) -> Option<OpenState> {
        let is_open = self.failures >= FAILURES_IN_A_ROW;
        let state = OpenState {
            failures: if is_open { self.failures } else { 0 },
            paused_until: self.pause(now),
        };
        (is_open || state.paused_until.is_some()).then_some(state)
    }

    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
        self.failing_since = None;
        self.tripped = false;
    }

    pub(crate) fn failed(&mut self, now: Instant, jitter: f64) {
        // Attempts that were under way when the pause began do not count.
        if self.pause(now).is_some() {
            return;
        }
        self.failing_since.get_or_insert(now);
        self.failures += 1;
        if self.failures >= FAILURES_IN_A_ROW {
            let doublings = (self.failures - FAILURES_IN_A_ROW).min(16);
            let pause = (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE);
            self.pause_until(now + pause.mul_f64(jitter));
        }
    }

    /// Opens without a pause: one attempt at a time until one succeeds.
    pub(crate) fn trip(&mut self) {
        self.tripped = true;
    }

    /// Nothing is sent before `until`. The longest of several pauses holds.
    pub(crate) fn pause_until(&mut self, until: Instant) {
        self.paused_until = self.paused_until.max(Some(until));
    }

    /// The end of the pause, if there is one now.
    pub(crate) fn pause(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    /// Whether the next attempt is a probe.
    pub(crate) fn is_open(&self) -> bool {
        self.tripped || self.failures >= FAILURES_IN_A_ROW
    }

    /// Whether the receiver has failed for so long that old rows are given up.
    pub(crate) fn is_down(&self, now: Instant) -> bool {
        let since = self
            .failing_since
            .filter(|_| self.failures >= FAILURES_IN_A_ROW);
        since.is_some_and(|since| now.duration_since(since) >= DOWN_AFTER)
    }

    /// Whether it holds nothing that matters for the next attempt.
    pub(crate) fn is_pristine(&self, now: Instant) -> bool {
        self.failures == 0 && !self.tripped && self.pause(now).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn five_failures_in_a_row_pause_it_and_each_failed_probe_doubles_the_pause() {
        let mut now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        for _ in 0..4 {
            breaker.failed(now, 1.0);
            assert_eq!(breaker.pause(now), None);
            assert!(!breaker.is_open());
        }
        for seconds in [5, 10, 20, 40, 80, 160, 300, 300] {
            breaker.failed(now, 1.0);
            assert!(breaker.is_open());
            assert_eq!(breaker.pause(now), Some(now + secs(seconds)));
            now += secs(seconds);
            assert_eq!(breaker.pause(now), None, "time for a probe");
        }
    }

    #[test]
    fn a_success_closes_the_breaker() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        for _ in 0..5 {
            breaker.failed(now, 1.0);
        }
        breaker.succeeded();
        assert!(!breaker.is_open());
        let later = now + secs(5);
        for _ in 0..4 {
            breaker.failed(later, 1.0);
        }
        assert_eq!(breaker.pause(later), None);
    }

    #[test]
    fn an_open_breaker_goes_on_where_another_worker_left_it() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        for _ in 0..4 {
            breaker.failed(now, 1.0);
            assert_eq!(breaker.open_state(now), None);
        }
        breaker.failed(now, 1.0);
        let mut next = CircuitBreaker::opened(breaker.open_state(now).unwrap());
        assert!(next.is_open());
        assert_eq!(next.pause(now), Some(now + secs(5)));
        let later = now + secs(5);
        next.failed(later, 1.0);
        assert_eq!(next.pause(later), Some(later + secs(10)));
        next.succeeded();
        assert_eq!(next.open_state(later + secs(10)), None);
    }

    #[test]
    fn attempts_that_were_under_way_when_it_paused_do_not_count() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        for _ in 0..64 {
            breaker.failed(now, 1.2);
        }
        assert_eq!(breaker.pause(now), Some(now + secs(6)));
    }

    #[test]
    fn the_longer_pause_holds() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        breaker.pause_until(now + secs(60));
        breaker.pause_until(now + secs(10));
        assert_eq!(breaker.pause(now), Some(now + secs(60)));
        assert!(!breaker.is_open());
    }

    #[test]
    fn it_is_down_after_an_hour_without_a_success() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        for minute in 0..5 {
            breaker.failed(now + secs(minute * 60), 1.0);
        }
        assert!(!breaker.is_down(now + secs(3_599)));
        assert!(breaker.is_down(now + secs(3_600)));
        breaker.succeeded();
        assert!(!breaker.is_down(now + secs(9_999)));
    }

    #[test]
    fn a_tripped_breaker_is_open_without_a_pause_until_a_success() {
        let now = Instant::now();
        let mut breaker = CircuitBreaker::default();
        breaker.trip();
        assert!(breaker.is_open() && !breaker.is_pristine(now));
        assert_eq!(breaker.pause(now), None);
        assert!(!breaker.is_down(now + secs(9_999)));
        breaker.succeeded();
        assert!(!breaker.is_open() && breaker.is_pristine(now));
    }
}
