//! Permits of stream readers: the server has room for a limited number.

use std::sync::Arc;

use sluice_infra::{Infra, Metrics};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::EngineError;

pub(super) struct ReaderPermits {
    infra: Infra,
    free: Arc<Semaphore>,
    max: usize,
}

/// Held by a connected reader.
pub(super) struct ReaderPermit {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

impl ReaderPermits {
    pub(super) fn new(infra: Infra) -> ReaderPermits {
        let max = infra.settings.max_streams.min(Semaphore::MAX_PERMITS);
        ReaderPermits {
            infra,
            free: Arc::new(Semaphore::new(max)),
            max,
        }
    }

    pub(super) fn acquire(&self) -> Result<ReaderPermit, EngineError> {
        self.infra.shutdown.check()?;
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            EngineError::Busy(format!(
                "this server has {} streams open, which is the most it takes; try again later",
                self.max
            ))
        })?;
        self.infra.metrics.stream_readers.inc();
        Ok(ReaderPermit {
            metrics: Arc::clone(&self.infra.metrics),
            _permit: permit,
        })
    }
}

impl Drop for ReaderPermit {
    fn drop(&mut self) {
        self.metrics.stream_readers.dec();
    }
}
