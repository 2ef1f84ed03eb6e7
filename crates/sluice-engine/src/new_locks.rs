//! Locks of npm packages that are new, on this node or on another one. `sluice-app` installs and stores their packages.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;
use sluice_cluster::{Cluster, Hint};
use tokio::sync::Notify;

/// A new lock, by its hash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NewLock {
    /// It was saved on another node.
    Elsewhere(String),
    /// It was saved on this node, which has its packages.
    Here(String),
}

/// Cheap to clone; all clones share the locks.
#[derive(Clone)]
pub struct NewLocks {
    cluster: Cluster,
    waiting: Arc<Waiting>,
}

#[derive(Default)]
struct Waiting {
    locks: Mutex<BTreeSet<NewLock>>,
    added: Notify,
}

impl NewLocks {
    pub(crate) fn new(cluster: Cluster) -> NewLocks {
        NewLocks {
            cluster,
            waiting: Arc::default(),
        }
    }

    /// A component with this lock was stored by this node. A node that is alone has nothing to do.
    pub fn saved(&self, hash: String) {
        if self.cluster.is_alone() {
            return;
        }
        self.cluster.hint_all(&Hint::Packages(hash.clone()));
        self.add(NewLock::Here(hash));
    }

    /// Another node stored a component with this lock.
    pub(crate) fn saved_elsewhere(&self, hash: String) {
        self.add(NewLock::Elsewhere(hash));
    }

    fn add(&self, lock: NewLock) {
        self.waiting.locks.lock().insert(lock);
        self.waiting.added.notify_one();
    }

    /// The next new lock, which is forgotten then.
    pub fn take(&self) -> Option<NewLock> {
        self.waiting.locks.lock().pop_first()
    }

    /// Waits until a lock may have been added. Wake-ups are coalesced and never lost.
    pub async fn added(&self) {
        self.waiting.added.notified().await;
    }
}
