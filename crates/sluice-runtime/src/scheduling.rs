//! How the kernel schedules the threads of a process.

use std::fs;

use rustix::process::{Pid, setpriority_pgrp};

/// How much a process gives way to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    Nice(i32),
    /// It runs when nothing else wants to. Others take its core at once, not after its time slice.
    Idle,
}

/// Changes the priority of all threads of a process, which leads its group. Only a privileged server can raise it again. A low
/// one matters only while others need the CPU.
pub(crate) fn set_priority(pid: Pid, before: Option<Priority>, now: Priority) {
    match now {
        Priority::Idle => set_policy(pid, libc::SCHED_IDLE),
        Priority::Nice(nice) => {
            if before == Some(Priority::Idle) {
                set_policy(pid, libc::SCHED_OTHER);
            }
            let _ = setpriority_pgrp(Some(pid), nice);
        }
    }
}

/// New threads inherit the policy of the one that starts them.
fn set_policy(pid: Pid, policy: libc::c_int) {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let names = threads.into_iter().flatten().flatten();
    for thread in names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        set_policy_of_thread(thread, policy);
    }
}

#[expect(unsafe_code, reason = "no crate in use offers the call")]
fn set_policy_of_thread(thread: libc::pid_t, policy: libc::c_int) {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call reads the parameters, which outlive it. A thread that has ended is an error, which is ignored.
    unsafe {
        libc::sched_setscheduler(thread, policy, &raw const parameters);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The nice value and the policy of a process, which are fields 19 and 41.
    fn priority(pid: Pid) -> (i32, i32) {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        let number = |at: usize| fields[at - 3].parse().unwrap();
        (number(19), number(41))
    }

    #[test]
    fn a_process_becomes_idle_and_gives_way() {
        use std::os::unix::process::CommandExt;
        let mut child = Command::new("sleep")
            .arg("60")
            .process_group(0)
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        set_priority(pid, None, Priority::Nice(10));
        assert_eq!(priority(pid), (10, libc::SCHED_OTHER));
        set_priority(pid, Some(Priority::Nice(10)), Priority::Idle);
        assert_eq!(priority(pid), (10, libc::SCHED_IDLE));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
