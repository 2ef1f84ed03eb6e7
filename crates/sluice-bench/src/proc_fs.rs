//! Reads process trees and memory usage from `/proc`.

use std::{collections::HashMap, fs, ops::AddAssign, time::Duration};

use anyhow::Context;

/// The memory of one process, or of several together, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    /// Private pages.
    pub(crate) private: u64,
    /// Private pages plus a proportional part of shared pages.
    pub(crate) proportional: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.private += other.private;
        self.proportional += other.proportional;
    }
}

/// The resident memory of a process, in bytes.
pub(crate) fn resident_bytes(pid: u32) -> anyhow::Result<u64> {
    let status = read(pid, "status")?;
    field(&status, "VmRSS:").context("no VmRSS")
}

pub(crate) fn usage(pid: u32) -> anyhow::Result<Usage> {
    let rollup = read(pid, "smaps_rollup")?;
    let field = |name| field(&rollup, name).with_context(|| format!("no {name}"));
    Ok(Usage {
        private: field("Private_Clean:")? + field("Private_Dirty:")?,
        proportional: field("Pss:")?,
    })
}

/// All running descendants of `pid`.
pub(crate) fn descendants(pid: u32) -> anyhow::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // A process may have ended since the folder was listed.
        if let Some(parent) = read(process, "stat")
            .ok()
            .as_deref()
            .and_then(living_parent)
        {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        let next = children.remove(&parent).unwrap_or_default();
        open.extend(&next);
        found.extend(next);
    }
    Ok(found)
}

/// The parent of a running process.
pub(crate) fn parent(pid: u32) -> anyhow::Result<u32> {
    living_parent(&read(pid, "stat")?).context("the process has ended")
}

/// The number of running descendants of `pid`, and their memory together.
pub(crate) fn usage_of_descendants(pid: u32) -> anyhow::Result<(usize, Usage)> {
    let (mut processes, mut total) = (0, Usage::default());
    // A process may have ended since it was listed.
    for used in descendants(pid)?.into_iter().flat_map(usage) {
        processes += 1;
        total += used;
    }
    Ok((processes, total))
}

/// The names of the threads of a process, each with its CPU time. The unit of CPU times is 1/100 s on Linux.
pub(crate) fn thread_times(pid: u32) -> anyhow::Result<Vec<(String, Duration)>> {
    let folder = format!("/proc/{pid}/task");
    let threads = fs::read_dir(&folder).with_context(|| format!("cannot read {folder}"))?;
    let mut times = Vec::new();
    for thread in threads {
        // A thread may have ended since the folder was listed.
        if let Ok(stat) = fs::read_to_string(thread?.path().join("stat")) {
            times.extend(thread_time(&stat));
        }
    }
    Ok(times)
}

/// The name in parentheses, and fields 14 and 15: user and system time.
fn thread_time(stat: &str) -> Option<(String, Duration)> {
    let (head, rest) = stat.rsplit_once(") ")?;
    let (_, name) = head.split_once('(')?;
    let mut fields = rest.split(' ').skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((name.to_owned(), Duration::from_millis(10 * (user + system))))
}

/// The parent in a line of `/proc/<pid>/stat`. None for a zombie, which uses no memory.
/// The name before it is in parentheses and may contain any character.
fn living_parent(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}

fn read(pid: u32, file: &str) -> anyhow::Result<String> {
    let path = format!("/proc/{pid}/{file}");
    fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
}

/// A `Name:   123 kB` line, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use std::process::{self, Command};

    use super::*;

    #[test]
    fn this_process_has_memory() {
        let usage = usage(process::id()).expect("we may read ourselves");
        assert!(usage.private > 0 && usage.proportional >= usage.private);
        assert!(resident_bytes(process::id()).expect("we may read ourselves") > usage.private / 2);
    }

    #[test]
    fn a_child_is_a_descendant_while_it_lives() {
        let mut child = Command::new("sleep")
            .arg("60")
            .spawn()
            .expect("sleep starts");
        let alive = descendants(process::id()).expect("/proc is readable");
        assert!(alive.contains(&child.id()));
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        let after = descendants(process::id()).expect("/proc is readable");
        assert!(!after.contains(&child.id()));
    }

    #[test]
    fn the_time_of_a_thread_has_its_name() {
        let stat = "7 (store-writer) S 1 7 7 0 -1 4194560 10 20 0 0 100 20 3 4 20 0 1 0 55";
        let time = Duration::from_millis(1200);
        assert_eq!(thread_time(stat), Some(("store-writer".to_owned(), time)));
        assert!(!thread_times(process::id()).unwrap_or_default().is_empty());
    }

    #[test]
    fn a_name_with_parentheses_does_not_hide_the_parent() {
        assert_eq!(living_parent("7 (a) b) S 42 7 7"), Some(42));
        assert_eq!(living_parent("7 (gone) Z 42 7 7"), None);
    }
}
