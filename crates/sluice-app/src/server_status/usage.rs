//! The resources that the server uses.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_runtime::Processes;
use sluice_store::{Dialect, size};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceUsage {
    /// Live component processes.
    pub processes: u64,
    /// Memory of these processes.
    pub processes_memory_bytes: u64,
    /// Resident memory of the server's own process.
    pub memory_bytes: u64,
    /// Size of the database.
    pub storage_bytes: u64,
    /// Free space of the data folder's file system; none when the database is elsewhere.
    pub free_bytes: Option<u64>,
    pub uptime_ms: u64,
}

impl ResourceUsage {
    pub(super) async fn read(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
        started_at: i64,
    ) -> Result<ResourceUsage, EngineError> {
        let (dialect, storage_bytes) = infra
            .store
            .read(|c| Ok((c.dialect(), size::bytes(c)?)))
            .await?;
        let folder = match dialect {
            Dialect::Sqlite => Some(infra.settings.data_dir.clone()),
            Dialect::Postgres => None,
        };
        let (memory_bytes, free_bytes) = tokio::task::spawn_blocking(|| (memory(), free(folder)))
            .await
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        let uptime_ms = infra.now_ms() - started_at;
        Ok(ResourceUsage {
            processes: u64::try_from(infra.metrics.processes.get()).unwrap_or_default(),
            processes_memory_bytes: processes.memory_in_use(),
            memory_bytes,
            storage_bytes,
            free_bytes,
            uptime_ms: u64::try_from(uptime_ms).unwrap_or_default(),
        })
    }
}

fn memory() -> u64 {
    resident_bytes(&fs::read_to_string("/proc/self/status").unwrap_or_default())
}

/// From the text of `/proc/<pid>/status`.
fn resident_bytes(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
    let kilobytes: u64 = kilobytes
        .and_then(|number| number.parse().ok())
        .unwrap_or_default();
    kilobytes * 1024
}

fn free(folder: Option<PathBuf>) -> Option<u64> {
    Space::of(&folder?).map(|space| space.free)
}

/// The space of a file system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    /// For processes without privileges.
    pub(super) free: u64,
    pub(super) size: u64,
}

impl Space {
    /// The file system of a folder.
    pub(super) fn of(folder: &Path) -> Option<Space> {
        let space = rustix::fs::statvfs(folder).ok()?;
        Some(Space {
            free: space.f_bavail.saturating_mul(space.f_frsize),
            size: space.f_blocks.saturating_mul(space.f_frsize),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_process_status() {
        let status = "Name:\tsluice\nVmHWM:\t  900 kB\nVmRSS:\t     512 kB\nThreads:\t4\n";
        assert_eq!(resident_bytes(status), 512 * 1024);
        assert_eq!(resident_bytes(""), 0);
        assert!(memory() > 0);
    }

    #[test]
    fn only_an_existing_folder_has_free_space() {
        assert!(free(Some(std::env::temp_dir())).is_some());
        assert_eq!(free(Some("/there/is/no/such/folder".into())), None);
        assert_eq!(free(None), None);
    }
}
