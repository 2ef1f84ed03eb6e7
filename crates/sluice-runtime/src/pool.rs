//! Empty processes that have started already: a source that gets its first work takes one, and the start-up is off the
//! path.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{process::Started, runtime::Inner, spec::Preload};

pub(crate) struct Pool {
    size: usize,
    spares: Mutex<VecDeque<Started>>,
    filling: AtomicBool,
}

impl Pool {
    pub(crate) fn new(size: usize) -> Pool {
        Pool {
            size,
            spares: Mutex::default(),
            filling: AtomicBool::new(false),
        }
    }

    /// The one that has waited longest, of those that still live.
    pub(crate) fn take(&self) -> Option<Started> {
        let mut spares = self.spares.lock();
        while let Some(mut spare) = spares.pop_front() {
            if matches!(spare.child.try_wait(), Ok(None)) {
                return Some(spare);
            }
        }
        None
    }

    /// Starts what is missing, one after the other and in the background.
    pub(crate) fn refill(runtime: &Arc<Inner>) {
        let pool = &runtime.pool;
        if pool.is_full() || pool.filling.swap(true, Ordering::SeqCst) {
            return;
        }
        let runtime = Arc::downgrade(runtime);
        tokio::spawn(async move {
            while let Some(runtime) = runtime.upgrade() {
                let filled = fill_one(&runtime).await;
                let pool = &runtime.pool;
                if let Err(error) = &filled {
                    tracing::warn!(%error, "an empty component process could not be started");
                }
                if filled.is_err() || pool.is_full() {
                    pool.filling.store(false, Ordering::SeqCst);
                    return;
                }
            }
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.spares.lock().len()
    }

    fn is_full(&self) -> bool {
        self.len() >= self.size
    }
}

async fn fill_one(runtime: &Inner) -> std::io::Result<()> {
    // Waits its turn behind processes that are needed at once.
    let _slot = runtime
        .starting
        .acquire()
        .await
        .map_err(std::io::Error::other)?;
    let mut spare = runtime.spawn(Preload::NodeModules)?;
    runtime.until_ready(&mut spare).await?;
    runtime.pool.spares.lock().push_back(spare);
    Ok(())
}
