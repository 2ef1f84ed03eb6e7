//! Draining: no new work is started, running work finishes.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Signals that the server drains, and tracks the tasks that it waits for.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    tasks: TaskTracker,
}

/// The server drains and takes no new work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShuttingDown;

impl Shutdown {
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Completes when the server begins to drain.
    pub async fn draining(&self) {
        self.draining.cancelled().await;
    }

    /// Fails once the server drains.
    pub fn check(&self) -> Result<(), ShuttingDown> {
        if self.is_draining() {
            Err(ShuttingDown)
        } else {
            Ok(())
        }
    }

    /// Starts a task that a shutdown waits for.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tasks.spawn(task)
    }

    /// Sleeps, but no longer than until the server drains.
    pub async fn sleep(&self, time: Duration) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.draining() => {}
        }
    }

    /// Begins to drain and waits for the tracked tasks; false when some are still running after `patience`.
    pub async fn drain(&self, patience: Duration) -> bool {
        self.draining.cancel();
        self.tasks.close();
        tokio::time::timeout(patience, self.tasks.wait())
            .await
            .is_ok()
    }
}
