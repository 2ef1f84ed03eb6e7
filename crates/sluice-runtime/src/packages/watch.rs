//! Watches an installer: the files it writes, and the memory in which it unpacks them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit};
use tokio::process::Child;

use super::{
    cache::CacheGrowth,
    limits::{Excess, PackageLimits},
};
use crate::{
    process_group::process_id,
    status_field::field,
    trees::{Measured, measure},
};

const PERIOD: Duration = Duration::from_millis(100);
/// Measuring takes at most one part in so many of the time.
const MEASURE_FRACTION: u32 = 4;
/// The installer without packages.
const OWN_MEMORY: u64 = 512 * 1024 * 1024;
/// Address space that V8 reserves and hardly uses.
const RESERVED: u64 = 1024 * 1024 * 1024;
/// Metadata of packages, which is cached but not unpacked.
const METADATA: u64 = 256 * 1024 * 1024;

#[derive(Clone)]
pub(super) struct InstallWatch {
    pid: Option<Pid>,
    /// The folder of the install.
    folder: PathBuf,
    /// The packages that it adds to the download cache. `None` if it only resolves versions.
    cache: Option<Arc<CacheGrowth>>,
    limits: PackageLimits,
}

impl InstallWatch {
    /// Also limits the memory of the installer, because it unpacks packages in memory.
    pub(super) fn over(
        child: &Child,
        folder: &Path,
        cache: Option<&Arc<CacheGrowth>>,
        limits: PackageLimits,
    ) -> InstallWatch {
        let watch = InstallWatch {
            pid: process_id(child),
            folder: folder.to_owned(),
            cache: cache.map(Arc::clone),
            limits,
        };
        if let Some(pid) = watch.pid {
            let most = Some(watch.max_memory().saturating_add(RESERVED));
            let limit = Rlimit {
                current: most,
                maximum: most,
            };
            // The measurements below still apply without it.
            let _ = rustix::process::prlimit(Some(pid), Resource::Data, limit);
        }
        watch
    }

    /// Waits until the installer exceeds a limit.
    pub(super) async fn excess(&self) -> Excess {
        let mut pause = PERIOD;
        loop {
            tokio::time::sleep(pause).await;
            let begun = Instant::now();
            let watch = self.clone();
            let check =
                tokio::task::spawn_blocking(move || watch.of_process().or_else(|| watch.on_disk()));
            if let Ok(Some(excess)) = check.await {
                return excess;
            }
            pause = PERIOD.max(begun.elapsed() * MEASURE_FRACTION);
        }
    }

    /// The limit that is exceeded after the end. An installer may write everything between two measurements.
    pub(super) async fn excess_at_end(&self) -> Option<Excess> {
        let watch = self.clone();
        let check = tokio::task::spawn_blocking(move || watch.on_disk());
        check.await.ok().flatten()
    }

    /// A package and its archive are in memory together.
    fn max_memory(&self) -> u64 {
        self.limits
            .bytes
            .saturating_mul(2)
            .saturating_add(OWN_MEMORY)
    }

    /// A file is written twice where the cache and the folder cannot share it.
    fn max_written(&self) -> u64 {
        self.limits.bytes.saturating_mul(2).saturating_add(METADATA)
    }

    fn of_process(&self) -> Option<Excess> {
        let pid = self.pid?;
        let read = |file| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let memory = field(&read("status"), "RssAnon:") * 1024;
        let written = field(&read("io"), "wchar:");
        let is_over = memory > self.max_memory() || written > self.max_written();
        is_over.then_some(Excess::Size(self.limits.bytes))
    }

    /// The cache and the folder share files, so each is measured by itself.
    fn on_disk(&self) -> Option<Excess> {
        let cached = self.cache.as_ref().map(|cache| cache.added());
        let cached = cached.and_then(|added| self.measured(&added));
        cached.or_else(|| self.measured(std::slice::from_ref(&self.folder)))
    }

    fn measured(&self, folders: &[PathBuf]) -> Option<Excess> {
        let mut total = Measured::default();
        for folder in folders {
            let part = measure(folder, |so_far| self.limits.exceeded_by(so_far).is_some());
            total.bytes += part.bytes;
            total.files += part.files;
            total.depth = total.depth.max(part.depth);
            if let Some(excess) = self.limits.exceeded_by(&total) {
                return Some(excess);
            }
        }
        None
    }
}
