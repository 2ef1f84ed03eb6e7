//! What the server itself uses at this moment.

use std::{fs, path::PathBuf};

use sluice_store::{Dialect, size};

use crate::{Engine, error::EngineError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vitals {
    /// Component processes that are alive.
    pub processes: u64,
    /// What they use, each on its own.
    pub processes_memory_bytes: u64,
    /// Resident memory of the server's own process.
    pub memory_bytes: u64,
    /// Of the database.
    pub storage_bytes: u64,
    /// What the file system of the data folder has left; none when the database is elsewhere.
    pub free_bytes: Option<u64>,
    pub uptime_ms: u64,
}

impl Engine {
    pub async fn vitals(&self) -> Result<Vitals, EngineError> {
        let context = &self.context;
        let (dialect, storage_bytes) = context
            .infra
            .store
            .read(|c| Ok((c.dialect(), size::bytes(c)?)))
            .await?;
        let folder = match dialect {
            Dialect::Sqlite => Some(context.infra.settings.data_dir.clone()),
            Dialect::Postgres => None,
        };
        let (memory_bytes, free_bytes) = tokio::task::spawn_blocking(|| (memory(), free(folder)))
            .await
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        let uptime_ms = context.infra.clock.now_ms() - context.started_at;
        Ok(Vitals {
            processes: u64::try_from(context.infra.metrics.processes.get()).unwrap_or_default(),
            processes_memory_bytes: context.runtime.memory_in_use(),
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

/// What somebody without privileges may still write.
fn free(folder: Option<PathBuf>) -> Option<u64> {
    let space = rustix::fs::statvfs(folder?).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_off_the_status_of_a_process() {
        let status = "Name:\tsluice\nVmHWM:\t  900 kB\nVmRSS:\t     512 kB\nThreads:\t4\n";
        assert_eq!(resident_bytes(status), 512 * 1024);
        assert_eq!(resident_bytes(""), 0);
        assert!(memory() > 0);
    }

    #[test]
    fn free_space_is_that_of_a_folder_that_is_there() {
        assert!(free(Some(std::env::temp_dir())).is_some());
        assert_eq!(free(Some("/there/is/no/such/folder".into())), None);
        assert_eq!(free(None), None);
    }
}
