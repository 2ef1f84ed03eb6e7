//! Component processes as the operating system sees them.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// The living children of a process; one that has ended and was not reaped yet is not among them.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("a /proc").flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| stat(*pid).is_some_and(|stat| stat.parent == parent && stat.alive))
        .collect()
}

pub(super) fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| stat.alive)
}

pub(crate) fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // It may have ended by itself, which is what is wanted.
    let _ = kill_process(pid.expect("a process id"), Signal::KILL);
}

/// The most memory a process ever had, in MiB.
pub(super) fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a living process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.expect("VmHWM in kB") / 1024
}

struct Stat {
    parent: u32,
    alive: bool,
}

/// `pid (name) state parent …`; the name may hold anything.
fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    Some(Stat {
        parent: fields.next()?.parse().ok()?,
        alive: !matches!(state, "Z" | "X"),
    })
}
