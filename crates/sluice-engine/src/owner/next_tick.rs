//! The next tick of an idle owner. The process of one that is due again soon is kept, and stopped last for others.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use sluice_infra::millis;
use sluice_model::TimerSpec;

/// The process of an owner that is due within this time is kept beyond its idle timeout, because the next start costs more.
const KEEP: Duration = Duration::from_secs(90);
/// A tick arrives at its owner within this time after it was due.
const ARRIVAL: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct NextTick {
    /// Due times of intervals that have ticked. Those of crons follow from the expression.
    intervals: HashMap<String, i64>,
    /// The next tick of the owner, set when it becomes idle.
    due: Option<i64>,
}

impl NextTick {
    /// Timers are armed.
    pub(super) fn arm<'a>(&mut self, ticks: impl Iterator<Item = (&'a str, i64)>) {
        self.intervals
            .extend(ticks.map(|(prop, due)| (prop.to_owned(), due)));
    }

    /// Finds the earliest tick of these timers.
    pub(super) fn update(&mut self, timers: &BTreeMap<String, TimerSpec>, now_ms: i64) {
        let ticks = timers.iter().filter_map(|(prop, spec)| match spec {
            TimerSpec::Cron { .. } => spec.next_after(now_ms),
            // An interval is due within its time, also if it is not known when.
            TimerSpec::Interval { .. } => {
                let known = self.intervals.get(prop).copied();
                let known = known.filter(|due| *due > now_ms - millis(ARRIVAL));
                known.or_else(|| spec.next_after(now_ms))
            }
        });
        self.due = ticks.min();
    }

    pub(super) fn due(&self) -> Option<i64> {
        self.due
    }

    /// The time for which an idle process is kept for the next tick, whatever its idle timeout.
    pub(super) fn keep_for(&self, idle_timeout: Duration, now_ms: i64) -> Option<Duration> {
        let due = self.due?;
        let is_soon = due.saturating_sub(now_ms) <= millis(idle_timeout.max(KEEP));
        let left = due.saturating_add(millis(ARRIVAL)).saturating_sub(now_ms);
        let left = u64::try_from(left).ok().filter(|left| *left > 0)?;
        is_soon.then(|| Duration::from_millis(left))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IDLE: Duration = Duration::from_mins(1);
    /// 2023-11-14T22:13:20Z
    const NOW: i64 = 1_700_000_000_000;

    fn timers(specs: &[serde_json::Value]) -> BTreeMap<String, TimerSpec> {
        let names = ["a", "b", "c"].map(str::to_owned);
        let specs = specs.iter().map(|spec| TimerSpec::from_json(spec).unwrap());
        names.into_iter().zip(specs).collect()
    }

    fn next(specs: &[serde_json::Value]) -> NextTick {
        let mut next = NextTick::default();
        next.update(&timers(specs), NOW);
        next
    }

    #[test]
    fn the_earliest_timer_counts() {
        let next = next(&[
            json!({ "cron": "0 * * * *" }),
            json!({ "cron": "* * * * *" }),
            json!({ "intervalSeconds": 3600 }),
        ]);
        assert_eq!(next.due(), Some(NOW + 40_000));
    }

    #[test]
    fn an_interval_that_has_ticked_is_due_when_it_was_armed() {
        let specs = [json!({ "intervalSeconds": 600 })];
        let mut next = next(&specs);
        assert_eq!(next.due(), Some(NOW + 600_000));
        next.arm([("a", NOW + 30_000)].into_iter());
        next.update(&timers(&specs), NOW);
        assert_eq!(next.due(), Some(NOW + 30_000));
        // A quota may have postponed it.
        next.update(&timers(&specs), NOW + 60_000);
        assert_eq!(next.due(), Some(NOW + 660_000));
    }

    #[test]
    fn a_process_is_kept_for_a_tick_that_is_due_soon() {
        let minutely = next(&[json!({ "cron": "* * * * *" })]);
        assert_eq!(
            minutely.keep_for(IDLE, NOW),
            Some(Duration::from_secs(40) + ARRIVAL)
        );
        let due = NOW + 40_000;
        assert_eq!(minutely.keep_for(IDLE, due), Some(ARRIVAL));
        assert_eq!(minutely.keep_for(IDLE, due + millis(ARRIVAL)), None);
        let hourly = next(&[json!({ "cron": "0 * * * *" })]);
        assert_eq!(hourly.keep_for(IDLE, NOW), None);
        let long = Duration::from_hours(1);
        assert!(hourly.keep_for(long, NOW).is_some());
        assert_eq!(next(&[]).keep_for(IDLE, NOW), None);
    }
}
