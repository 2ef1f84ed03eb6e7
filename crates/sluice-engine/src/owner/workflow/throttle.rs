//! The throttle: how many runs may start in each interval. Intervals are counted from the epoch.

use sluice_model::workflow::Throttle;

/// Starts in the current interval.
#[derive(Debug, Default)]
pub(super) struct Window {
    started_at: i64,
    started: u64,
}

impl Window {
    /// The start of the interval that contains `now`.
    pub(super) fn start_of(throttle: Throttle, now_ms: i64) -> i64 {
        let interval = interval_ms(throttle);
        now_ms.div_euclid(interval) * interval
    }

    /// With the starts since `started_at` that the store has recorded.
    pub(super) fn resumed(started_at: i64, started: u64) -> Window {
        Window {
            started_at,
            started,
        }
    }

    /// `None` when a run may start now; otherwise the end of the interval.
    pub(super) fn full_until(&mut self, throttle: Throttle, now_ms: i64) -> Option<i64> {
        let start = Window::start_of(throttle, now_ms);
        if start != self.started_at {
            *self = Window::resumed(start, 0);
        }
        (self.started >= u64::from(throttle.limit)).then(|| start + interval_ms(throttle))
    }

    pub(super) fn count(&mut self) {
        self.started += 1;
    }
}

fn interval_ms(throttle: Throttle) -> i64 {
    i64::from(throttle.interval_seconds.max(1)) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_begin_in_each_interval_and_no_more() {
        let throttle = Throttle {
            limit: 2,
            interval_seconds: 10,
        };
        let mut window = Window::default();
        for start in [100_000, 110_000, 150_000] {
            for at in [start, start + 9_999] {
                assert_eq!(window.full_until(throttle, at), None);
                window.count();
            }
            assert_eq!(
                window.full_until(throttle, start + 9_999),
                Some(start + 10_000)
            );
        }
    }

    #[test]
    fn a_limit_of_none_holds_all_back() {
        let throttle = Throttle {
            limit: 0,
            interval_seconds: 60,
        };
        assert_eq!(
            Window::default().full_until(throttle, 61_000),
            Some(120_000)
        );
    }

    #[test]
    fn what_began_before_a_restart_counts() {
        let throttle = Throttle {
            limit: 3,
            interval_seconds: 1,
        };
        let mut window = Window::resumed(5_000, 3);
        assert_eq!(window.full_until(throttle, 5_500), Some(6_000));
        assert_eq!(window.full_until(throttle, 6_000), None);
    }
}
