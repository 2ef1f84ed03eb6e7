//! The memory of all component processes, as reported by their watchdogs.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The sum over all processes, in bytes.
#[derive(Clone, Default)]
pub(crate) struct MemoryInUse(Arc<AtomicU64>);

impl MemoryInUse {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// The share of a new process.
    pub(crate) fn share(&self) -> Share {
        Share {
            total: self.clone(),
            bytes: Arc::default(),
        }
    }
}

/// The memory of one process. It is subtracted on drop.
pub(crate) struct Share {
    total: MemoryInUse,
    bytes: Arc<AtomicU64>,
}

impl Share {
    pub(crate) fn set(&mut self, bytes: u64) {
        self.total.0.fetch_add(bytes, Ordering::Relaxed);
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        self.total.0.fetch_sub(before, Ordering::Relaxed);
    }

    /// The current value, for other readers.
    pub(crate) fn bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_are_subtracted_on_drop() {
        let memory = MemoryInUse::default();
        let (mut one, mut two) = (memory.share(), memory.share());
        one.set(10);
        two.set(5);
        one.set(7);
        assert_eq!(memory.bytes(), 12);
        assert_eq!(one.bytes().load(Ordering::Relaxed), 7);
        drop(one);
        assert_eq!(memory.bytes(), 5);
    }
}
