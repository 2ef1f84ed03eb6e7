//! What an account may use.

use crate::{overuse::MAX_THREADS, question};

/// The largest number of threads of the kernel.
const MOST_THREADS: u64 = 1 << 22;

/// What an account may use, where the kernel counts it.
#[derive(Debug, Clone, Copy)]
pub struct AccountLimits {
    /// The memory of all its processes, in bytes.
    pub memory_bytes: u64,
    /// Of its sources and workflows.
    pub processes: usize,
}

impl AccountLimits {
    /// The threads that its processes may have by their own limits.
    pub(super) fn threads(self) -> u64 {
        let processes = self.processes.saturating_add(question::MAX_CONCURRENT);
        let processes = u64::try_from(processes).unwrap_or(u64::MAX);
        MAX_THREADS.saturating_mul(processes).min(MOST_THREADS)
    }
}
