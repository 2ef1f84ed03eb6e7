//! Supervision of workers: a panic ends one task, is logged and counted, and never leaves a dead worker registered.

use std::{any::Any, fmt::Display, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;

use crate::{Metrics, Shutdown, TaskLabel};

/// How a supervised task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Finished,
    Panicked,
}

/// Starts workers that a shutdown waits for.
#[derive(Clone)]
pub struct Supervisor {
    shutdown: Shutdown,
    metrics: Arc<Metrics>,
}

impl Supervisor {
    pub fn new(shutdown: Shutdown, metrics: Arc<Metrics>) -> Supervisor {
        Supervisor { shutdown, metrics }
    }

    /// Runs `task`. Whether it returns or panics, `on_exit` runs afterwards: it unregisters the worker, and restarts it
    /// after a panic.
    pub fn spawn(
        &self,
        worker: &'static str,
        id: impl Display + Send + 'static,
        task: impl Future<Output = ()> + Send + 'static,
        on_exit: impl FnOnce(Exit) + Send + 'static,
    ) {
        let metrics = Arc::clone(&self.metrics);
        self.shutdown.spawn(async move {
            let exit = match AssertUnwindSafe(task).catch_unwind().await {
                Ok(()) => Exit::Finished,
                Err(panic) => {
                    let message = panic_message(&*panic);
                    tracing::error!(worker, %id, panic = message, "worker panicked; restarting it");
                    let label = TaskLabel { worker };
                    metrics.worker_panics.get_or_create(&label).inc();
                    Exit::Panicked
                }
            };
            on_exit(exit);
        });
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    async fn exit_of(task: impl Future<Output = ()> + Send + 'static) -> (Exit, Arc<Metrics>) {
        let metrics = Arc::new(Metrics::new());
        let supervisor = Supervisor::new(Shutdown::default(), Arc::clone(&metrics));
        let (sender, exit) = oneshot::channel();
        supervisor.spawn("test", "t_1", task, |exit| {
            let _ = sender.send(exit);
        });
        (exit.await.unwrap(), metrics)
    }

    fn panics(metrics: &Metrics) -> u64 {
        let label = TaskLabel { worker: "test" };
        metrics.worker_panics.get_or_create(&label).get()
    }

    #[tokio::test]
    async fn a_panic_is_counted_and_reported_to_the_registry() {
        let (exit, metrics) = exit_of(async { panic!("at {}", 5) }).await;
        assert_eq!((exit, panics(&metrics)), (Exit::Panicked, 1));
        let (exit, metrics) = exit_of(async {}).await;
        assert_eq!((exit, panics(&metrics)), (Exit::Finished, 0));
    }

    #[test]
    fn a_panic_has_the_text_that_it_was_given() {
        assert_eq!(panic_message(&"text"), "text");
        assert_eq!(panic_message(&"owned".to_owned()), "owned");
        assert_eq!(panic_message(&5), "no message");
    }
}
