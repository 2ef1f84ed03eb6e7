//! The CPU time that each user's processes want, and the nice value that follows from it: the more a user wants, the more its
//! processes give way to those of others and to the server.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rustix::process::{Pid, getpriority_process, setpriority_pgrp};
use sluice_model::UserId;

/// Older CPU time counts less and less.
const WINDOW: Duration = Duration::from_secs(2);
const MAX_NICE: i32 = 19;
/// The number of busy processes per core, and the nice value from there on. Few steps, because unprivileged servers can only
/// raise it.
const STEPS: [(f64, i32); 3] = [(3.0, 15), (1.5, 10), (0.75, 5)];

pub(crate) struct CpuTimes {
    cores: f64,
    /// The nice value of the server.
    base: i32,
    users: Mutex<HashMap<UserId, Recent>>,
}

struct Recent {
    seconds: f64,
    until: Instant,
}

impl CpuTimes {
    pub(crate) fn new() -> CpuTimes {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        CpuTimes {
            cores: f64::from(u32::try_from(cores).unwrap_or(u32::MAX)),
            base: getpriority_process(None).unwrap_or(0),
            users: Mutex::default(),
        }
    }

    /// Adds time that a process of a user computed or waited for a core. Returns the nice value for its processes.
    pub(crate) fn add(&self, user: &UserId, wanted: Duration, now: Instant) -> i32 {
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
        let step = STEPS.iter().find(|(from, _)| busy >= *from);
        let nice = step.map_or(0, |(_, nice)| *nice);
        (self.base + nice).min(MAX_NICE)
    }
}

/// Sets the nice value of all threads of a process, which leads its group.
pub(crate) fn set_nice(pid: Pid, nice: i32) {
    // Only a privileged server can lower it again. A higher value matters only while others need the CPU.
    let _ = setpriority_pgrp(Some(pid), nice);
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
            users: Mutex::default(),
        };
        let (a, b) = (user("u_a"), user("u_b"));
        let mut now = Instant::now();
        let step = Duration::from_millis(250);
        let (mut seen, mut last) = (Vec::new(), 0);
        for _ in 0..40 {
            now += step;
            // Each of sixteen processes computes or waits for one of two cores.
            for _ in 0..16 {
                last = times.add(&a, step, now);
            }
            seen.push(last);
            assert_eq!(times.add(&b, step, now), 0, "a user with one busy process");
        }
        assert!(seen.is_sorted(), "{seen:?}");
        assert_eq!(last, 15);
        assert_eq!(times.add(&a, step, now + 5 * WINDOW), 0, "later");
        times.add(&b, step, now + 20 * WINDOW);
        assert_eq!(times.users.lock().len(), 1, "others are forgotten");
    }
}
