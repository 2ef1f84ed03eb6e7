//! Periodic removal of packages and of code files that no component uses.

use std::{io, sync::Arc, time::Duration};

use sluice_infra::{Infra, MS_PER_DAY};
use sluice_runtime::Processes;
use sluice_store::{Conn, StoreError, code_files, lock_uses, package_archives};

use super::in_use::LocksInUse;

const INTERVAL: Duration = Duration::from_hours(24);
const FILE_BATCH: u32 = 500;

#[derive(Debug, thiserror::Error)]
enum SweepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Folder(#[from] io::Error),
}

/// Runs until the server drains. Each node has folders of its own, and one removes the rows for all.
pub(crate) async fn run(infra: Infra, processes: Arc<dyn Processes>) {
    while !infra.shutdown.is_draining() {
        match sweep(&infra, &*processes).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(folders = removed, "removed unused packages"),
            Err(error) => tracing::warn!(%error, "cannot remove unused packages; retrying later"),
        }
        if infra.cluster.does_job("code files") {
            if let Err(error) = remove_files(&infra).await {
                tracing::warn!(%error, "cannot remove unused code files; retrying later");
            }
            if let Err(error) = remove_archives(&infra).await {
                tracing::warn!(%error, "cannot remove unused stored packages; retrying later");
            }
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

/// Removes archives that no active source or workflow needs. They are stored again when one does.
async fn remove_archives(infra: &Infra) -> Result<(), StoreError> {
    let before = infra.now_ms() - MS_PER_DAY;
    let mut archived = infra.store.read(package_archives::list).await?;
    archived.retain(|lock| lock.created_at < before);
    if archived.is_empty() {
        return Ok(());
    }
    let in_use = LocksInUse::default().read(&infra.store).await?;
    archived.retain(|lock| !in_use.contains(&lock.hash));
    for lock in archived {
        let remove = move |c: &mut dyn Conn| package_archives::remove(c, &lock.hash);
        infra.store.write(remove).await?;
    }
    Ok(())
}

async fn sweep(infra: &Infra, processes: &dyn Processes) -> Result<usize, SweepError> {
    if !processes.has_old_packages().await? {
        return Ok(0);
    }
    let in_use = infra.store.read(lock_uses::all).await?;
    let in_use = in_use.into_iter().collect();
    Ok(processes.remove_unused_packages(in_use).await?)
}
