//! When a delivery that failed is tried again.

use std::time::{Duration, UNIX_EPOCH};

/// However long a receiver asks for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);

/// The pauses between the tries of a delivery.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pauses: Vec<Duration>,
}

impl Schedule {
    pub(crate) fn new(pauses: Vec<Duration>) -> Schedule {
        Schedule { pauses }
    }

    /// The pause after so many tries; none when that was the last one. What the receiver asked for takes the schedule's place.
    pub(crate) fn after(
        &self,
        tries: u32,
        asked: Option<Duration>,
        jitter: f64,
    ) -> Option<Duration> {
        let index = usize::try_from(tries).ok()?.checked_sub(1)?;
        let pause = self.pauses.get(index)?;
        Some(asked.unwrap_or_else(|| pause.mul_f64(jitter)))
    }

    /// How long a delivery may be overdue at a webhook that does not work: twice what all its tries would take.
    pub(super) fn patience(&self) -> Duration {
        self.pauses.iter().sum::<Duration>() * 2
    }

    /// Whether a delivery to such a webhook is given up.
    pub(super) fn is_past_patience(&self, due_at: i64, now_ms: i64) -> bool {
        now_ms.saturating_sub(due_at) > millis(self.patience())
    }
}

/// A factor that keeps those who failed together from coming back together.
pub(crate) fn jitter() -> f64 {
    rand::random_range(1.0..=1.2)
}

/// What a `Retry-After` header asks for: seconds, or a date.
pub(crate) fn retry_after(value: &str, now_ms: i64) -> Option<Duration> {
    let value = value.trim();
    let asked = if let Ok(seconds) = value.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = httpdate::parse_http_date(value).ok()?;
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).ok()?);
        date.duration_since(now).unwrap_or_default()
    };
    Some(asked.min(LONGEST_RETRY_AFTER))
}

/// Milliseconds as the clock and the store count them.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule::new(vec![Duration::from_secs(5), Duration::from_secs(30)])
    }

    #[test]
    fn each_try_has_its_pause_and_the_last_has_none() {
        let secs = |tries| schedule().after(tries, None, 1.2).map(|p| p.as_secs());
        assert_eq!([secs(1), secs(2), secs(3)], [Some(6), Some(36), None]);
        assert_eq!(Schedule::new(Vec::new()).after(1, None, 1.0), None);
    }

    #[test]
    fn what_is_asked_for_takes_the_place_of_the_schedule_but_adds_no_try() {
        let asked = Some(Duration::from_secs(77));
        assert_eq!(schedule().after(1, asked, 1.1), asked);
        assert_eq!(schedule().after(3, asked, 1.1), None);
    }

    #[test]
    fn patience_ends_after_twice_the_schedule() {
        assert!(!schedule().is_past_patience(1_000, 71_000));
        assert!(schedule().is_past_patience(1_000, 71_001));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_at_most_a_day() {
        // 1994-11-06T08:49:37Z
        let now = 784_111_777_000;
        let secs = |value| retry_after(value, now).map(|asked| asked.as_secs());
        assert_eq!(secs(" 120 "), Some(120));
        assert_eq!(secs("0"), Some(0));
        assert_eq!(secs("999999999"), Some(86_400));
        assert_eq!(secs("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30));
        assert_eq!(secs("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(secs("Fri, 31 Dec 9999 23:59:59 GMT"), Some(86_400));
        for nonsense in ["", "-1", "soon", "1.5", "99999999999999999999999"] {
            assert_eq!(secs(nonsense), None, "{nonsense:?}");
        }
    }
}
