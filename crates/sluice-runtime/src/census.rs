//! The processes that have their code, and whose they are.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use crate::spec::ProcessOwner;

/// A process as it is at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningProcess {
    pub owner: ProcessOwner,
    /// Of its own: what it shares with others is not counted.
    pub memory_bytes: u64,
    /// When it got its code.
    pub started_at: i64,
}

/// All of them, in the order in which they got their code.
#[derive(Clone, Default)]
pub(crate) struct Census(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    next: u64,
    by_number: BTreeMap<u64, Entry>,
}

struct Entry {
    owner: ProcessOwner,
    memory: Arc<AtomicU64>,
    started_at: i64,
}

/// A process is counted as long as it has this.
pub(crate) struct Counted {
    census: Census,
    number: u64,
}

impl Census {
    pub(crate) fn count(
        &self,
        owner: ProcessOwner,
        memory: Arc<AtomicU64>,
        started_at: i64,
    ) -> Counted {
        let mut entries = self.0.lock();
        let number = entries.next;
        entries.next += 1;
        let entry = Entry {
            owner,
            memory,
            started_at,
        };
        entries.by_number.insert(number, entry);
        Counted {
            census: self.clone(),
            number,
        }
    }

    pub(crate) fn processes(&self) -> Vec<RunningProcess> {
        let entries = self.0.lock();
        let shown = |entry: &Entry| RunningProcess {
            owner: entry.owner.clone(),
            memory_bytes: entry.memory.load(Ordering::Relaxed),
            started_at: entry.started_at,
        };
        entries.by_number.values().map(shown).collect()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.census.0.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_counted_until_it_is_gone() {
        let census = Census::default();
        let memory = Arc::new(AtomicU64::new(0));
        let counted = census.count(ProcessOwner::Nobody, Arc::clone(&memory), 5);
        let other = census.count(ProcessOwner::Nobody, Arc::default(), 6);
        memory.store(7, Ordering::Relaxed);
        let first = RunningProcess {
            owner: ProcessOwner::Nobody,
            memory_bytes: 7,
            started_at: 5,
        };
        assert_eq!(census.processes()[0], first);
        drop(counted);
        let left: Vec<_> = census
            .processes()
            .iter()
            .map(|one| one.started_at)
            .collect();
        assert_eq!(left, [6]);
        drop(other);
        assert!(census.processes().is_empty());
    }
}
