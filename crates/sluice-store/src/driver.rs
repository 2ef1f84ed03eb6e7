//! A started database: its job queues and its threads.

use std::{
    sync::{Arc, atomic::AtomicU64, mpsc},
    thread::JoinHandle,
};

use tokio::sync::watch;

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
    /// Keeps other servers out of a PostgreSQL database.
    pub(crate) lock: Option<DatabaseLock>,
}

/// A lock that a thread holds until this is dropped.
pub(crate) struct DatabaseLock {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Whether another server has taken it.
    pub(crate) lost: watch::Receiver<bool>,
}

impl DatabaseLock {
    pub(crate) fn new(
        stop: mpsc::Sender<()>,
        thread: JoinHandle<()>,
        lost: watch::Receiver<bool>,
    ) -> DatabaseLock {
        DatabaseLock {
            stop: Some(stop),
            thread: Some(thread),
            lost,
        }
    }
}

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("thread of the database lock panicked");
        }
    }
}

/// Starts a named database thread.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map_err(|error| StoreError::Unavailable(format!("cannot start a thread: {error}")))
}
