//! The registry of processes with loaded code.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{fair_queue::PermitUser, spec::ProcessOwner};

/// A snapshot of a process, or of the part of a source in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningProcess {
    pub owner: ProcessOwner,
    pub user: PermitUser,
    /// Private memory. Shared pages do not count. Sources that share a process have an equal part each.
    pub memory_bytes: u64,
    /// When its code was loaded, in epoch milliseconds.
    pub started_at: i64,
}

/// All running processes, in the order in which they were registered.
#[derive(Clone, Default)]
pub(crate) struct RunningProcesses(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    next: u64,
    by_number: BTreeMap<u64, Entry>,
}

struct Entry {
    owner: ProcessOwner,
    user: PermitUser,
    memory: TenantMemory,
    started_at: i64,
}

/// The memory of a process, and the number of its tenants. Each has an equal share.
#[derive(Clone, Default)]
pub(crate) struct TenantMemory {
    bytes: Arc<AtomicU64>,
    tenants: Arc<AtomicUsize>,
}

impl TenantMemory {
    pub(crate) fn of(bytes: Arc<AtomicU64>) -> TenantMemory {
        TenantMemory {
            bytes,
            tenants: Arc::new(AtomicUsize::new(1)),
        }
    }

    /// The number of tenants.
    pub(crate) fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.tenants)
    }

    pub(crate) fn is_above(&self, bytes: u64) -> bool {
        self.bytes.load(Ordering::Relaxed) > bytes
    }

    fn share(&self) -> u64 {
        let tenants = self.tenants.load(Ordering::Relaxed).max(1);
        self.bytes.load(Ordering::Relaxed) / u64::try_from(tenants).unwrap_or(1)
    }
}

/// Unregisters its process when it is dropped.
pub(crate) struct Registration {
    registry: RunningProcesses,
    number: u64,
}

impl RunningProcesses {
    pub(crate) fn register(
        &self,
        owner: ProcessOwner,
        user: PermitUser,
        memory: TenantMemory,
        started_at: i64,
    ) -> Registration {
        let mut entries = self.0.lock();
        let number = entries.next;
        entries.next += 1;
        let entry = Entry {
            owner,
            user,
            memory,
            started_at,
        };
        entries.by_number.insert(number, entry);
        Registration {
            registry: self.clone(),
            number,
        }
    }

    pub(crate) fn processes(&self) -> Vec<RunningProcess> {
        let entries = self.0.lock();
        let snapshot = |entry: &Entry| RunningProcess {
            owner: entry.owner.clone(),
            user: entry.user.clone(),
            memory_bytes: entry.memory.share(),
            started_at: entry.started_at,
        };
        entries.by_number.values().map(snapshot).collect()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.registry.0.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_listed_until_its_registration_is_dropped() {
        let registry = RunningProcesses::default();
        let memory = Arc::new(AtomicU64::new(0));
        let shared = TenantMemory::of(Arc::clone(&memory));
        let registration = registry.register(ProcessOwner::Unowned, None, shared, 5);
        let other = registry.register(ProcessOwner::Unowned, None, TenantMemory::default(), 6);
        memory.store(7, Ordering::Relaxed);
        let first = RunningProcess {
            owner: ProcessOwner::Unowned,
            user: None,
            memory_bytes: 7,
            started_at: 5,
        };
        assert_eq!(registry.processes()[0], first);
        drop(registration);
        let left: Vec<_> = registry
            .processes()
            .iter()
            .map(|one| one.started_at)
            .collect();
        assert_eq!(left, [6]);
        drop(other);
        assert!(registry.processes().is_empty());
    }
}
