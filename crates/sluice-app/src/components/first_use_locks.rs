//! Locks for the first use of imported components.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use sluice_model::ComponentId;
use tokio::sync::Mutex as AsyncMutex;

/// One lock per component, so that its packages are resolved once.
#[derive(Default)]
pub(super) struct FirstUseLocks(Mutex<HashMap<ComponentId, Weak<AsyncMutex<()>>>>);

impl FirstUseLocks {
    pub(super) fn of(&self, id: &ComponentId) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock();
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(id).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        locks.insert(id.clone(), Arc::downgrade(&lock));
        lock
    }
}
