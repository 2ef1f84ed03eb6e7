//! The CPU time that each user's processes want, and the priority that follows from it: the more a user wants, the more its
//! processes give way to those of others and to the server.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rustix::{process::getpriority_process, thread::CapabilitySet};
use sluice_model::UserId;

use crate::scheduling::Priority;

/// Older CPU time counts less and less.
const WINDOW: Duration = Duration::from_secs(2);
const MAX_NICE: i32 = 19;
/// The number of busy processes per core, and how much they give way from there on. A nice value delays others by whole time
/// slices, so a user that wants far more than the machine has gets only what others leave.
const STEPS: [(f64, Priority); 3] = [
    (2.0, Priority::Idle),
    (1.0, Priority::Nice(10)),
    (0.75, Priority::Nice(5)),
];
/// For a server that can only lower priorities: a process that has become idle remains so.
const UNPRIVILEGED_STEPS: [(f64, Priority); 4] = [
    (3.0, Priority::Idle),
    (1.5, Priority::Nice(15)),
    (1.0, Priority::Nice(10)),
    (0.75, Priority::Nice(5)),
];

pub(crate) struct CpuTimes {
    cores: f64,
    /// The nice value that all others are added to.
    base: i32,
    steps: &'static [(f64, Priority)],
    users: Mutex<HashMap<UserId, Recent>>,
}

struct Recent {
    seconds: f64,
    until: Instant,
}

impl CpuTimes {
    /// For priorities of processes.
    pub(crate) fn of_processes() -> CpuTimes {
        let steps: &[_] = if can_raise_priorities() {
            &STEPS
        } else {
            &UNPRIVILEGED_STEPS
        };
        CpuTimes::new(getpriority_process(None).unwrap_or(0), steps)
    }

    /// For priorities of control groups, which are relative to each other and can always be raised.
    pub(crate) fn of_groups() -> CpuTimes {
        CpuTimes::new(0, &STEPS)
    }

    fn new(base: i32, steps: &'static [(f64, Priority)]) -> CpuTimes {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        CpuTimes {
            cores: f64::from(u32::try_from(cores).unwrap_or(u32::MAX)),
            base,
            steps,
            users: Mutex::default(),
        }
    }

    /// Adds time that a process of a user computed or waited for a core. Returns the priority for its processes.
    pub(crate) fn add(&self, user: &UserId, wanted: Duration, now: Instant) -> Priority {
        let mut users = self.users.lock();
        users.retain(|_, recent| now.duration_since(recent.until) < 10 * WINDOW);
        let recent = users.entry(user.clone()).or_insert(Recent {
            seconds: 0.0,
            until: now,
        });
        let age = now.duration_since(recent.until);
        recent.seconds *= (-age.as_secs_f64() / WINDOW.as_secs_f64()).exp();
        recent.seconds += wanted.as_secs_f64();
        recent.until = now;
        let busy = recent.seconds / WINDOW.as_secs_f64() / self.cores;
        let step = self.steps.iter().find(|(from, _)| busy >= *from);
        match step.map_or(Priority::Nice(0), |(_, priority)| *priority) {
            Priority::Nice(nice) => Priority::Nice((self.base + nice).min(MAX_NICE)),
            Priority::Idle => Priority::Idle,
        }
    }
}

fn can_raise_priorities() -> bool {
    rustix::thread::capabilities(None)
        .is_ok_and(|held| held.effective.contains(CapabilitySet::SYS_NICE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> UserId {
        UserId::parse(name).expect("an id")
    }

    #[test]
    fn the_more_a_user_computes_the_more_its_processes_give_way() {
        let times = CpuTimes {
            cores: 2.0,
            base: 0,
            steps: &UNPRIVILEGED_STEPS,
            users: Mutex::default(),
        };
        let (a, b) = (user("u_a"), user("u_b"));
        let mut now = Instant::now();
        let step = Duration::from_millis(250);
        let (mut seen, mut last) = (Vec::new(), Priority::Nice(0));
        for _ in 0..40 {
            now += step;
            // Each of sixteen processes computes or waits for one of two cores.
            for _ in 0..16 {
                last = times.add(&a, step, now);
            }
            seen.push(last);
            let light = times.add(&b, step, now);
            assert_eq!(light, Priority::Nice(0), "a user with one busy process");
        }
        assert!(seen.is_sorted(), "{seen:?}");
        assert_eq!(last, Priority::Idle);
        let later = times.add(&a, step, now + 5 * WINDOW);
        assert_eq!(later, Priority::Nice(0));
        times.add(&b, step, now + 20 * WINDOW);
        assert_eq!(times.users.lock().len(), 1, "others are forgotten");
    }
}
