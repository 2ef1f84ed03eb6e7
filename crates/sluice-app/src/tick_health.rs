//! Punctuality of the timers of a source.

use std::collections::HashMap;

use sluice_engine::LATE;
use sluice_infra::{MS_PER_HOUR, millis};
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    activity::{self, Counts, Hour},
    timers::{LastTick, TimersStatus},
};

use crate::activity::LAST_DAY;

/// Hours are those of the clock. The last hour is the current one and the one before; the last day is the current hour and the
/// 23 before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TickHealth {
    /// None before the first tick.
    pub last_tick: Option<LastTick>,
    pub last_hour: MissedTicks,
    pub last_day: MissedTicks,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissedTicks {
    pub late: u64,
    pub skipped: u64,
}

impl TickHealth {
    /// Of each emitter with timers.
    pub(crate) fn of_emitters(
        c: &mut dyn Conn,
        timers: &HashMap<EmitterId, TimersStatus>,
        now_ms: i64,
    ) -> Result<HashMap<EmitterId, TickHealth>, StoreError> {
        if timers.is_empty() {
            return Ok(HashMap::new());
        }
        let ids: Vec<EmitterId> = timers.keys().cloned().collect();
        let mut hours = activity::of_emitters(c, &ids, LAST_DAY.first_hour(now_ms))?;
        let health = timers.iter().map(|(emitter, status)| {
            let hours = hours.remove(emitter).unwrap_or_default();
            (emitter.clone(), TickHealth::new(status, &hours, now_ms))
        });
        Ok(health.collect())
    }

    fn new(status: &TimersStatus, hours: &[Hour], now_ms: i64) -> TickHealth {
        let mut health = TickHealth {
            last_tick: status.last_tick,
            ..TickHealth::default()
        };
        let current = now_ms.div_euclid(MS_PER_HOUR);
        for Hour { hour, counts } in hours {
            health.last_day.add(counts);
            if *hour >= current - 1 {
                health.last_hour.add(counts);
            }
        }
        health
    }

    /// Whether the last tick was late or ticks were skipped, in the last hour.
    pub fn is_late(&self) -> bool {
        let is_late = |tick: LastTick| tick.lateness_ms > millis(LATE);
        let last_was_late = self.last_tick.is_some_and(is_late);
        (last_was_late && self.last_hour.late > 0) || self.last_hour.skipped > 0
    }
}

impl MissedTicks {
    fn add(&mut self, counts: &Counts) {
        self.late += counts.late_ticks;
        self.skipped += counts.skipped_ticks;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000 * MS_PER_HOUR + 5;

    fn hour(hour: i64, late_ticks: u64, skipped_ticks: u64) -> Hour {
        Hour {
            hour,
            counts: Counts {
                late_ticks,
                skipped_ticks,
                ..Counts::default()
            },
        }
    }

    fn health(lateness_ms: i64, hours: &[Hour]) -> TickHealth {
        let last_tick = Some(LastTick {
            due_at: NOW - 10,
            lateness_ms,
        });
        let status = TimersStatus {
            next_due: None,
            last_tick,
        };
        TickHealth::new(&status, hours, NOW)
    }

    #[test]
    fn the_last_hour_is_the_current_one_and_the_one_before() {
        let health = health(0, &[hour(998, 1, 2), hour(999, 4, 8), hour(1_000, 16, 32)]);
        let missed = |late, skipped| MissedTicks { late, skipped };
        assert_eq!(health.last_hour, missed(20, 40));
        assert_eq!(health.last_day, missed(21, 42));
    }

    #[test]
    fn timers_are_late_until_a_tick_is_punctual_again_and_while_ticks_are_skipped() {
        assert!(!health(100, &[hour(1_000, 7, 0)]).is_late());
        assert!(health(6_000, &[hour(1_000, 1, 0)]).is_late());
        assert!(!health(6_000, &[hour(990, 1, 0)]).is_late());
        assert!(health(100, &[hour(1_000, 0, 1)]).is_late());
        assert!(!TickHealth::default().is_late());
    }
}
