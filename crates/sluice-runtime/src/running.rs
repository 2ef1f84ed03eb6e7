//! The registry of processes with loaded code.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{fair_queue::PermitUser, spec::ProcessOwner};

/// A snapshot of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningProcess {
    pub owner: ProcessOwner,
    pub user: PermitUser,
    /// Private memory. Shared pages do not count.
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
    memory: Arc<AtomicU64>,
    started_at: i64,
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
        memory: Arc<AtomicU64>,
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
            memory_bytes: entry.memory.load(Ordering::Relaxed),
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
        let registration = registry.register(ProcessOwner::Unowned, None, Arc::clone(&memory), 5);
        let other = registry.register(ProcessOwner::Unowned, None, Arc::default(), 6);
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
