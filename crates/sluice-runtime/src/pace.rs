//! The CPU time of one process, which decides its priority and whether it needs to be watched.

use std::{
    fs,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use rustix::process::Pid;
use sluice_model::UserId;

use crate::{accounts::Accounts, scheduling::Priority};

/// The same on all machines that Linux runs on.
const TICKS_PER_SECOND: u32 = 100;

/// The CPU time of a process, and its priority.
pub(crate) struct Pace {
    pid: Pid,
    accounts: Arc<Accounts>,
    user: Arc<OnceLock<UserId>>,
    /// CPU time at the last check, in clock ticks.
    before: Option<u64>,
    /// Time that it had waited for a core at the last check.
    waiting: Duration,
    priority: Option<Priority>,
}

impl Pace {
    /// `user` is set once the process works for one.
    pub(crate) fn new(pid: Pid, accounts: Arc<Accounts>, user: Arc<OnceLock<UserId>>) -> Pace {
        Pace {
            pid,
            accounts,
            user,
            before: None,
            waiting: Duration::ZERO,
            priority: None,
        }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Returns false if the process used no CPU time since the last check.
    pub(crate) fn check(&mut self) -> bool {
        let computed = computing_time(self.pid);
        let before = self.before.or(computed).unwrap_or(0);
        let used = computed.unwrap_or(0).saturating_sub(before);
        let is_active = computed != self.before;
        self.before = computed;
        if let (Some(user), true) = (self.user.get(), used > 0) {
            let waiting = waiting_time(self.pid);
            let computed = Duration::from_secs(used) / TICKS_PER_SECOND;
            let wanted = computed + waiting.saturating_sub(self.waiting);
            self.waiting = waiting;
            let priority = self.accounts.cpu.add(user, wanted, Instant::now());
            if self.priority != Some(priority) {
                self.accounts
                    .prioritize(user, self.pid, self.priority, priority);
                self.priority = Some(priority);
            }
        }
        is_active
    }
}

/// User and system time of all threads of a process.
pub(crate) fn cpu_time(pid: Pid) -> Option<Duration> {
    Some(Duration::from_secs(computing_time(pid)?) / TICKS_PER_SECOND)
}

/// User and system time of all its threads, in clock ticks.
fn computing_time(pid: Pid) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets and may contain anything. The fields after it count from 3.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(14 - 3);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// The time for which its main thread was ready to run and had no core. Zero where the kernel does not count it.
fn waiting_time(pid: Pid) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let mut fields = stat.split_whitespace().skip(1);
    let nanoseconds = fields.next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_computing_time_of_a_process_grows_while_it_computes() {
        let me = rustix::process::getpid();
        let before = computing_time(me).expect("a time");
        let start = Instant::now();
        while computing_time(me).expect("a time") == before {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "it does not grow"
            );
        }
    }
}
