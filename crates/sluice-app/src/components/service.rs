//! The service for components, and helpers that its parts share.

use std::sync::Arc;

use sluice_engine::{DiskQuotas, Engine, EngineError, NewLocks};
use sluice_infra::Infra;
use sluice_outbox::NetGuard;
use sluice_runtime::{PackageLock, Processes};
use sluice_store::components::{Component, Packages, StoredLock};

use super::{fetch::Fetcher, first_use_locks::FirstUseLocks, shelf_cache::ShelfCache};

/// Saves, finds, lists and publishes components.
#[derive(Clone)]
pub struct Components {
    pub(super) infra: Infra,
    pub(super) processes: Arc<dyn Processes>,
    pub(super) disk: DiskQuotas,
    pub(super) new_locks: NewLocks,
    pub(super) fetcher: Arc<Fetcher>,
    pub(super) first_uses: Arc<FirstUseLocks>,
    pub(super) shelves: Arc<ShelfCache>,
}

impl Components {
    pub fn new(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
        engine: &Engine,
    ) -> Result<Components, EngineError> {
        let settings = &infra.settings;
        let guard = NetGuard::new(settings.allow_private_network);
        let fetcher = Fetcher::new(guard, settings.max_api_body)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(Components {
            infra: infra.clone(),
            processes: Arc::clone(processes),
            disk: engine.disk.clone(),
            new_locks: engine.new_locks.clone(),
            fetcher: Arc::new(fetcher),
            first_uses: Arc::default(),
            shelves: Arc::default(),
        })
    }

    /// Has all nodes install packages with which components were stored just now, each given by the hash of its lock.
    pub(crate) fn announce_locks(&self, hashes: impl IntoIterator<Item = String>) {
        for hash in hashes {
            self.new_locks.saved(hash);
        }
    }
}

/// Locked packages in their stored form.
pub(super) fn stored_lock(lock: Option<&PackageLock>) -> Result<Option<StoredLock>, EngineError> {
    let Some(lock) = lock else {
        return Ok(None);
    };
    let text = serde_json::to_string(lock);
    Ok(Some(StoredLock {
        hash: lock.hash(),
        text: text.map_err(|error| EngineError::Internal(error.to_string()))?,
    }))
}

/// The hash of a component's lock; `None` when it has no packages.
pub(crate) fn lock_hash(component: &Component) -> Option<String> {
    match &component.packages {
        Packages::Resolved(lock) => lock.as_ref().map(|lock| lock.hash.clone()),
        Packages::Unresolved => None,
    }
}
