//! What all component processes use together, as their watchdogs see it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The sum of all shares, in bytes.
#[derive(Clone, Default)]
pub(crate) struct MemoryInUse(Arc<AtomicU64>);

impl MemoryInUse {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// A process that has used nothing yet.
    pub(crate) fn share(&self) -> Share {
        Share {
            total: self.clone(),
            bytes: Arc::default(),
        }
    }
}

/// What one process uses; nothing any more when it is dropped.
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

    /// Its bytes as they are at any time, for others to read.
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
    fn shares_add_up_and_go_with_their_processes() {
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
