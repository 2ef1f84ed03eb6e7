//! The ticks of timers with a common period: which are expected, and how late each one ran.

use anyhow::Context;
use serde_json::Value;

/// Whole periods, in which every timer is due as many times. Times are epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    start: i64,
    period: i64,
    periods: u32,
}

impl Window {
    /// The window after a warm-up of at least one period. It begins at a multiple of the period, as crons do.
    pub(crate) fn after_warm_up(now: i64, period_seconds: u32, periods: u32) -> Window {
        let period = i64::from(period_seconds) * 1000;
        let warm_from = now.div_euclid(period) + 1;
        Window {
            start: (warm_from + 1) * period,
            period,
            periods,
        }
    }

    /// The period that begins with this tick.
    pub(crate) fn of_one_tick(due: i64, period_seconds: u32) -> Window {
        Window {
            start: due,
            period: i64::from(period_seconds) * 1000,
            periods: 1,
        }
    }

    pub(crate) fn start(&self) -> i64 {
        self.start
    }

    pub(crate) fn end(&self) -> i64 {
        self.start + i64::from(self.periods) * self.period
    }

    /// Ticks of one timer in the window.
    pub(crate) fn expected(&self) -> u32 {
        self.periods
    }

    /// The lateness in seconds of those ticks that were due in the window. `due` is any due time of the timer.
    pub(crate) fn lateness(&self, due: i64, events: &[Value]) -> anyhow::Result<Vec<f64>> {
        let mut lateness = Vec::new();
        for event in events {
            let tick = Tick::read(event)?;
            let due = self.due_before(due, tick.fired_at_s);
            if (self.start..self.end()).contains(&due) {
                let millis = u32::try_from((tick.ran_at - due).max(0))?;
                lateness.push(f64::from(millis) / 1e3);
            }
        }
        Ok(lateness)
    }

    /// The last due time before a tick became an event, the second of which is known.
    fn due_before(&self, due: i64, fired_at_s: i64) -> i64 {
        let fired_before = fired_at_s * 1000 + 999;
        let periods = (fired_before - due).div_euclid(self.period);
        due + periods * self.period
    }
}

/// One tick, as the component reports it.
struct Tick {
    ran_at: i64,
    /// The second in which the server moved the tick into the inbox.
    fired_at_s: i64,
}

impl Tick {
    fn read(event: &Value) -> anyhow::Result<Tick> {
        let field = |name: &str| {
            let value = event[name].as_i64();
            value.with_context(|| format!("no {name} in {event}"))
        };
        Ok(Tick {
            ran_at: field("ran_at_ms")?,
            fired_at_s: field("fired_at_s")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tick(fired_at_s: i64, ran_at_ms: i64) -> Value {
        json!({ "fired_at_s": fired_at_s, "ran_at_ms": ran_at_ms })
    }

    #[test]
    fn a_whole_period_passes_before_the_window() {
        let window = Window::after_warm_up(61_000, 60, 3);
        assert_eq!((window.start(), window.end()), (180_000, 360_000));
        assert_eq!(window.expected(), 3);
    }

    #[test]
    fn ticks_are_assigned_to_the_due_time_before_them() {
        let window = Window::after_warm_up(0, 60, 2);
        let events = [
            // Due at 120 s and 180 s, in the window.
            tick(120, 120_250),
            tick(185, 215_000),
            // Due before the window and at its end.
            tick(60, 130_000),
            tick(240, 240_001),
        ];
        let lateness = window.lateness(60_000, &events).expect("complete events");
        assert_eq!(format!("{lateness:?}"), "[0.25, 35.0]");
    }

    #[test]
    fn the_second_of_a_tick_can_begin_before_its_due_time() {
        let window = Window::after_warm_up(0, 60, 2);
        let lateness = window.lateness(130_700, &[tick(130, 130_720)]);
        assert_eq!(format!("{:?}", lateness.ok()), "Some([0.02])");
    }
}
