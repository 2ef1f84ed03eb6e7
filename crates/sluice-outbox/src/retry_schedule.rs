//! The retry schedule: the pauses between the attempts of one row.

use std::time::Duration;

use sluice_infra::millis;

#[derive(Debug, Clone)]
pub(crate) struct RetrySchedule {
    pauses: Vec<Duration>,
}

impl RetrySchedule {
    pub(crate) fn new(pauses: Vec<Duration>) -> RetrySchedule {
        RetrySchedule { pauses }
    }

    /// The pause after so many failed attempts; none when that was the last one. A pause that the receiver asked for
    /// replaces that of the schedule.
    pub(crate) fn pause(
        &self,
        tries: u32,
        asked: Option<Duration>,
        jitter: f64,
    ) -> Option<Duration> {
        let index = usize::try_from(tries).ok()?.checked_sub(1)?;
        let pause = self.pauses.get(index)?;
        Some(asked.unwrap_or_else(|| pause.mul_f64(jitter)))
    }

    /// How long a row may wait for a receiver that is down: twice as long as all its attempts would take.
    pub(crate) fn patience(&self) -> Duration {
        self.pauses.iter().sum::<Duration>() * 2
    }

    /// Whether a row that waits for a receiver that is down is given up.
    pub(crate) fn is_past_patience(&self, waiting_since: i64, now_ms: i64) -> bool {
        now_ms.saturating_sub(waiting_since) > millis(self.patience())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> RetrySchedule {
        RetrySchedule::new(vec![Duration::from_secs(5), Duration::from_secs(30)])
    }

    #[test]
    fn each_attempt_has_its_pause_and_the_last_has_none() {
        let secs = |tries| schedule().pause(tries, None, 1.2).map(|p| p.as_secs());
        assert_eq!([secs(1), secs(2), secs(3)], [Some(6), Some(36), None]);
        assert_eq!(RetrySchedule::new(Vec::new()).pause(1, None, 1.0), None);
    }

    #[test]
    fn a_pause_that_is_asked_for_replaces_the_schedule_but_adds_no_attempt() {
        let asked = Some(Duration::from_secs(77));
        assert_eq!(schedule().pause(1, asked, 1.1), asked);
        assert_eq!(schedule().pause(3, asked, 1.1), None);
    }

    #[test]
    fn a_row_is_given_up_after_twice_the_schedule() {
        assert!(!schedule().is_past_patience(1_000, 71_000));
        assert!(schedule().is_past_patience(1_000, 71_001));
    }
}
