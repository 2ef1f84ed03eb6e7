//! A started database: its job queues and its threads.

use std::{sync::Arc, thread::JoinHandle};

use crate::{
    error::{Result, StoreError},
    queue::JobQueue,
};

/// The queues of the database threads. On PostgreSQL both are the same queue.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) reads: Arc<JobQueue>,
    pub(crate) writes: Arc<JobQueue>,
}

/// A driver with its threads running.
pub(crate) struct Driver {
    pub(crate) queues: Queues,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

/// Starts a named database thread.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map_err(|error| StoreError::Unavailable(format!("cannot start a thread: {error}")))
}
