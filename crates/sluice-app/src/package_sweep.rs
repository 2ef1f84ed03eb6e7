//! Periodic removal of package folders and of code files that no component uses.

use std::{collections::HashSet, io, sync::Arc, time::Duration};

use sluice_infra::{Infra, MS_PER_DAY};
use sluice_model::ComponentId;
use sluice_runtime::{PackageLock, Processes};
use sluice_store::{Conn, StoreError, code_files, components};

const INTERVAL: Duration = Duration::from_hours(24);
/// Locks that one read returns. A lock can be some hundred kilobytes.
const LOCK_BATCH: u32 = 50;
const FILE_BATCH: u32 = 500;

#[derive(Debug, thiserror::Error)]
enum SweepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a stored lock cannot be read: {0}")]
    Lock(#[from] serde_json::Error),
    #[error(transparent)]
    Folder(#[from] io::Error),
}

/// Runs until the server drains. Each node has folders of its own, and one removes code files for all.
pub(crate) async fn run(infra: Infra, processes: Arc<dyn Processes>) {
    while !infra.shutdown.is_draining() {
        match sweep(&infra, &*processes).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(folders = removed, "removed unused packages"),
            Err(error) => tracing::warn!(%error, "cannot remove unused packages; retrying later"),
        }
        if infra.cluster.does_job("code files")
            && let Err(error) = remove_files(&infra).await
        {
            tracing::warn!(%error, "cannot remove unused code files; retrying later");
        }
        infra.shutdown.sleep(INTERVAL).await;
    }
}

async fn remove_files(infra: &Infra) -> Result<(), StoreError> {
    let before = infra.now_ms() - MS_PER_DAY;
    let remove = move |c: &mut dyn Conn| code_files::remove_unused(c, before, FILE_BATCH);
    while infra.store.write(remove).await? >= u64::from(FILE_BATCH) {}
    Ok(())
}

async fn sweep(infra: &Infra, processes: &dyn Processes) -> Result<usize, SweepError> {
    if !processes.has_old_packages().await? {
        return Ok(0);
    }
    let in_use = locks_in_use(infra).await?;
    Ok(processes.remove_unused_packages(in_use).await?)
}

/// The hashes of the locks of all components.
async fn locks_in_use(infra: &Infra) -> Result<HashSet<String>, SweepError> {
    let mut hashes = HashSet::new();
    let mut position: Option<ComponentId> = None;
    loop {
        let after = position.take();
        let read = move |c: &mut dyn Conn| components::locks(c, after.as_ref(), LOCK_BATCH);
        let page = infra.store.read(read).await?;
        for component in &page {
            let lock: PackageLock = serde_json::from_str(&component.lock)?;
            hashes.insert(lock.hash());
        }
        match page.into_iter().last() {
            Some(last) => position = Some(last.id),
            None => return Ok(hashes),
        }
    }
}
