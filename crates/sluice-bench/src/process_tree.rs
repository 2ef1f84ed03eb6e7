//! CPU time and memory of a process tree, from `/proc`.

use std::{fs, time::Duration};

use anyhow::Context;

use crate::proc_fs::{descendants, usage};

/// The unit of CPU times in `/proc` is 1/100 s on Linux.
const TICKS_PER_SECOND: u32 = 100;

/// The CPU time of a process and its descendants, including those that have ended and were waited for.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    let mut ticks = 0;
    for process in tree(pid)? {
        // A process may have ended since it was listed. Its parent then has its time.
        if let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) {
            ticks += ticks_of(&stat).context("no CPU times in stat")?;
        }
    }
    Ok(Duration::from_secs(ticks) / TICKS_PER_SECOND)
}

/// The memory of a process and its descendants in bytes. Pages that they share count once.
pub(crate) fn memory(pid: u32) -> anyhow::Result<u64> {
    // A process that has just ended uses no memory.
    let used = tree(pid)?.into_iter().filter_map(|pid| usage(pid).ok());
    Ok(used.map(|usage| usage.proportional).sum())
}

fn tree(pid: u32) -> anyhow::Result<Vec<u32>> {
    let mut processes = descendants(pid)?;
    processes.push(pid);
    Ok(processes)
}

/// User and system time, of the process and of children that it waited for: fields 14 to 17 of `/proc/<pid>/stat`.
/// The name before them is in parentheses and may contain any character.
fn ticks_of(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let times: Vec<u64> = rest
        .split(' ')
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (times.len() == 4).then(|| times.iter().sum())
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    #[test]
    fn cpu_times_follow_the_name() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 10 20 0 0 100 20 3 4 20 0 1 0 55";
        assert_eq!(ticks_of(stat), Some(127));
        assert_eq!(ticks_of("7 (a) S 1"), None);
    }

    #[test]
    fn this_process_has_memory() {
        assert!(memory(process::id()).is_ok_and(|bytes| bytes > 0));
        assert!(cpu_time(process::id()).is_ok());
    }
}
