//! The compute time of a process, measured while it is used: the wall time of its invocations from their dispatch, or its
//! CPU time if that is more, because code may compute when no invocation runs.

use std::time::Duration;

use rustix::process::Pid;

use crate::pace::cpu_time;

/// CPU time beyond the wall time is charged in parts of at least this size. Deno itself uses a little.
const MIN_EXCESS: Duration = Duration::from_secs(1);

pub(crate) struct Meter {
    pid: Option<Pid>,
    /// The CPU time of the process when it had loaded its code.
    cpu_before: Duration,
    /// Wall time of invocations so far.
    wall: Duration,
    /// CPU time beyond it that was charged.
    excess: Duration,
}

impl Meter {
    pub(crate) fn new(pid: Option<Pid>) -> Meter {
        Meter {
            pid,
            cpu_before: pid.and_then(cpu_time).unwrap_or_default(),
            wall: Duration::ZERO,
            excess: Duration::ZERO,
        }
    }

    /// The time to charge. `running` is the wall time of running invocations since the last check, and `ended` of ended ones,
    /// which their outcomes charge.
    pub(crate) fn charge(&mut self, running: Duration, ended: Duration) -> Duration {
        let cpu = self.pid.and_then(cpu_time).unwrap_or_default();
        self.charge_with(running, ended, cpu)
    }

    fn charge_with(&mut self, running: Duration, ended: Duration, cpu: Duration) -> Duration {
        self.wall += running + ended;
        let cpu = cpu.saturating_sub(self.cpu_before);
        let excess = cpu.saturating_sub(self.wall + self.excess);
        if excess < MIN_EXCESS {
            return running;
        }
        self.excess += excess;
        running + excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn wall_time_is_charged_once() {
        let mut meter = Meter::new(None);
        assert_eq!(
            meter.charge_with(SECOND * 5, SECOND, SECOND * 6),
            SECOND * 5
        );
        assert_eq!(meter.charge_with(SECOND, SECOND, SECOND * 7), SECOND);
    }

    #[test]
    fn cpu_time_beyond_the_wall_time_is_charged_too() {
        let mut meter = Meter::new(None);
        let little = Duration::from_millis(900);
        assert_eq!(
            meter.charge_with(SECOND, SECOND, SECOND * 2 + little),
            SECOND
        );
        assert_eq!(
            meter.charge_with(Duration::ZERO, Duration::ZERO, SECOND * 7),
            SECOND * 5
        );
        assert_eq!(
            meter.charge_with(SECOND, Duration::ZERO, SECOND * 8),
            SECOND
        );
    }
}
