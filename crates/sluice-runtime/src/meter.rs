//! The compute time of a process, measured while it is used: the wall time of its invocations from their dispatch, or its
//! CPU time if that is more, because code may compute when no invocation runs.

use std::time::Duration;

use rustix::process::Pid;

use crate::pace::cpu_time;

/// CPU time beyond the wall time is charged in parts of at least this size. Deno itself uses a little.
const MIN_EXCESS: Duration = Duration::from_secs(1);
/// CPU time of one load of a component. It is not charged.
const LOAD: Duration = Duration::from_millis(10);

pub(crate) struct Meter {
    pid: Option<Pid>,
    /// The CPU time of the process when it had loaded its code.
    cpu_before: Duration,
    /// Wall time of invocations so far.
    wall: Duration,
    /// CPU time beyond it that was charged.
    excess: Duration,
    /// Loads since the process was metered.
    loads: u32,
}

impl Meter {
    pub(crate) fn new(pid: Option<Pid>) -> Meter {
        Meter {
            pid,
            cpu_before: pid.and_then(cpu_time).unwrap_or_default(),
            wall: Duration::ZERO,
            excess: Duration::ZERO,
            loads: 0,
        }
    }

    /// The process has loaded the code of so many tenants that joined it.
    pub(crate) fn set_loads(&mut self, loads: u32) {
        self.loads = loads;
    }

    /// Adds wall time of invocations, which is charged elsewhere.
    pub(crate) fn add(&mut self, wall: Duration) {
        self.wall += wall;
    }

    /// CPU time beyond the wall time that was not charged before. From now on it is.
    pub(crate) fn excess(&mut self) -> Option<Duration> {
        let cpu = self.pid.and_then(cpu_time).unwrap_or_default();
        self.excess_of(cpu)
    }

    fn excess_of(&mut self, cpu: Duration) -> Option<Duration> {
        let cpu = cpu.saturating_sub(self.cpu_before + LOAD * self.loads);
        let excess = cpu.saturating_sub(self.wall + self.excess);
        if excess < MIN_EXCESS {
            return None;
        }
        self.excess += excess;
        Some(excess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn cpu_time_within_the_wall_time_is_no_excess() {
        let mut meter = Meter::new(None);
        meter.add(SECOND * 6);
        assert_eq!(meter.excess_of(SECOND * 6), None);
        meter.add(SECOND * 2);
        assert_eq!(meter.excess_of(SECOND * 7), None);
    }

    #[test]
    fn loads_of_tenants_are_not_charged() {
        let mut meter = Meter::new(None);
        meter.set_loads(200);
        assert_eq!(meter.excess_of(SECOND * 2), None);
        assert_eq!(meter.excess_of(SECOND * 5), Some(SECOND * 3));
    }

    #[test]
    fn cpu_time_beyond_the_wall_time_is_charged_once() {
        let mut meter = Meter::new(None);
        meter.add(SECOND * 2);
        assert_eq!(
            meter.excess_of(SECOND * 2 + Duration::from_millis(900)),
            None
        );
        assert_eq!(meter.excess_of(SECOND * 7), Some(SECOND * 5));
        meter.add(SECOND);
        assert_eq!(meter.excess_of(SECOND * 8), None);
    }
}
