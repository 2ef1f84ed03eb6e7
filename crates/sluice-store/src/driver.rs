//! A started database: its job queues and its threads.

use std::{
    sync::{Arc, atomic::AtomicU64},
    thread::JoinHandle,
};

use crate::{
    error::{Result, StoreError},
    queue::JobQueue,
};

/// The queues of the database threads. On SQLite, which has one writer, all kinds of writes share a queue.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) reads: Arc<JobQueue>,
    pub(crate) writes: Arc<JobQueue>,
    pub(crate) commits: Arc<JobQueue>,
    pub(crate) heartbeats: Arc<JobQueue>,
}

/// A driver with its threads running.
pub(crate) struct Driver {
    pub(crate) queues: Queues,
    pub(crate) threads: Vec<JoinHandle<()>>,
    /// How often commits waited for an answer of the database over the network.
    pub(crate) commit_round_trips: Arc<AtomicU64>,
}

/// Starts a named database thread.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map_err(|error| StoreError::Unavailable(format!("cannot start a thread: {error}")))
}
