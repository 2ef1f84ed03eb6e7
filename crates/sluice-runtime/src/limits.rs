//! The limits of one component process.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub heap_mb: u32,
    /// Private memory of the process, including the heap.
    pub memory_bytes: u64,
    /// All files in its temporary folder.
    pub tmp_bytes: u64,
    /// One emitted event.
    pub emit_bytes: usize,
    /// All events of one invocation.
    pub emits_bytes: usize,
    /// All log lines of one invocation.
    pub log_bytes: usize,
    /// The source's key-value store, keys and values together.
    pub db_bytes: usize,
    /// One value of a data store.
    pub data_store_value_bytes: usize,
    pub load_timeout: Duration,
    /// The time after its timeout that an invocation has to stop before its process is killed.
    pub grace: Duration,
}
