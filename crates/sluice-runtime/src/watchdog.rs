//! Watches resources of a process that the kernel does not limit: memory outside of the heap, files, threads.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::AtomicU64},
    time::{Duration, Instant},
};

use rustix::{
    fs::FileType,
    process::{Pid, PidfdFlags, Signal},
};
use sluice_model::UserId;
use tokio::{process::Child, task::JoinHandle};

use crate::{
    accounts::Accounts,
    control_groups::GroupMember,
    limits::Limits,
    memory::Share,
    overuse::{MAX_DEPTH, MAX_FILES, MAX_THREADS, Overuse},
    pace::Pace,
    process_group::process_id,
    status_field::field,
    trees::{Measured, measure},
};

const PERIOD: Duration = Duration::from_millis(250);
/// For a process that used no CPU time since the last check.
const IDLE_PERIOD: Duration = Duration::from_millis(500);
/// Checking the files takes at most one part in so many of the time.
const FILE_CHECK_FRACTION: u32 = 20;
/// On a busy machine a check takes long because it waits. The next one must not wait for that.
const MAX_FILE_CHECK_PAUSE: Duration = Duration::from_secs(1);

/// Kills its process when it exceeds a limit. Stops on drop.
pub(crate) struct Watchdog {
    overuse: Arc<OnceLock<Overuse>>,
    memory: Arc<AtomicU64>,
    user: Arc<OnceLock<UserId>>,
    pid: Pid,
    accounts: Arc<Accounts>,
    /// Its place in the control group of its account.
    member: OnceLock<GroupMember>,
    task: JoinHandle<()>,
}

impl Watchdog {
    /// Reports the memory of the process to `share`.
    pub(crate) fn over(
        child: &Child,
        tmp: PathBuf,
        limits: Limits,
        share: Share,
        accounts: Arc<Accounts>,
    ) -> io::Result<Watchdog> {
        let pid =
            process_id(child).ok_or_else(|| io::Error::other("the process has ended already"))?;
        let overuse = Arc::new(OnceLock::new());
        let memory = share.bytes();
        let user = Arc::default();
        if let Some(groups) = &accounts.groups {
            groups.started(pid);
        }
        let pace = Pace::new(pid, Arc::clone(&accounts), Arc::clone(&user));
        let task = tokio::spawn(watch(pace, tmp, limits, share, Arc::clone(&overuse)));
        Ok(Watchdog {
            overuse,
            memory,
            user,
            pid,
            accounts,
            member: OnceLock::new(),
            task,
        })
    }

    /// From now on the process works for this user.
    pub(crate) fn assign(&self, user: &UserId) {
        if self.user.set(user.clone()).is_ok()
            && let Some(groups) = &self.accounts.groups
        {
            let _ = self.member.set(groups.assign(self.pid, user));
        }
    }

    /// The memory of the process at the last check.
    pub(crate) fn memory(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.memory)
    }

    /// The reason, if the watchdog killed the process.
    pub(crate) fn overuse(&self) -> Option<Overuse> {
        self.overuse.get().copied()
    }

    /// The reason, if the kernel killed the process.
    pub(crate) fn overuse_of_account(&self) -> Option<Overuse> {
        self.member.get()?.overuse()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn watch(
    mut pace: Pace,
    tmp: PathBuf,
    limits: Limits,
    mut share: Share,
    found: Arc<OnceLock<Overuse>>,
) {
    let pid = pace.pid();
    // A pidfd, because the pid may be reused.
    let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    let mut next_file_check = Instant::now();
    loop {
        // A process that uses no CPU time does not use more of anything.
        if !pace.check() {
            tokio::time::sleep(IDLE_PERIOD).await;
            continue;
        }
        let used = in_memory(pid);
        share.set(used.bytes);
        let mut overuse = used.over(limits.memory_bytes);
        if overuse.is_none() && next_file_check <= Instant::now() {
            let before = Instant::now();
            let tmp = tmp.clone();
            let check =
                tokio::task::spawn_blocking(move || on_disk(pid, &tmp, limits.tmp_bytes)).await;
            overuse = check.ok().flatten();
            let pause = before.elapsed() * FILE_CHECK_FRACTION;
            next_file_check = Instant::now() + pause.min(MAX_FILE_CHECK_PAUSE);
        }
        if let Some(overuse) = overuse {
            let _ = found.set(overuse);
            let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
            return;
        }
        tokio::time::sleep(PERIOD).await;
    }
}

struct MemoryUse {
    /// Private memory. Shared pages do not count.
    bytes: u64,
    threads: u64,
}

impl MemoryUse {
    fn over(&self, limit: u64) -> Option<Overuse> {
        if self.bytes > limit {
            Some(Overuse::Memory { limit })
        } else if self.threads > MAX_THREADS {
            Some(Overuse::Threads)
        } else {
            None
        }
    }
}

/// Zero for a process that has exited.
fn in_memory(pid: Pid) -> MemoryUse {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes = field(&status, "RssAnon:") + field(&status, "RssShmem:");
    MemoryUse {
        bytes: kilobytes * 1024,
        threads: field(&status, "Threads:"),
    }
}

fn on_disk(pid: Pid, tmp: &Path, limit: u64) -> Option<Overuse> {
    let mut measured = measure(tmp, |so_far| over_on_disk(so_far, limit).is_some());
    add_deleted_files(&mut measured, pid);
    over_on_disk(&measured, limit)
}

fn over_on_disk(measured: &Measured, limit: u64) -> Option<Overuse> {
    if measured.bytes > limit {
        Some(Overuse::Disk { limit })
    } else if measured.files > MAX_FILES {
        Some(Overuse::Files)
    } else if measured.depth > MAX_DEPTH {
        Some(Overuse::Depth)
    } else {
        None
    }
}

/// Deleted files use disk space while they are open.
fn add_deleted_files(measured: &mut Measured, pid: Pid) {
    let open = fs::read_dir(format!("/proc/{pid}/fd"));
    for entry in open.into_iter().flatten().flatten() {
        if let Ok(stat) = rustix::fs::stat(entry.path())
            && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat.st_nlink == 0
        {
            measured.add(&stat);
        }
    }
}
