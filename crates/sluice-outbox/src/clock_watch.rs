//! Notices that the clock was set back, and corrects the due times that were stored before that.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use sluice_infra::Infra;
use sluice_store::{StoreError, deliveries, sends::outbox};

/// Smaller steps of the clock cost no more than this.
const TOLERANCE_MS: i64 = 1_000;
/// Rows of one update.
const BATCH: u32 = 500;

pub(crate) struct ClockWatch {
    latest: AtomicI64,
    /// Due times are to be corrected. The clock may also have been set back while the server was down.
    set_back: AtomicBool,
}

impl ClockWatch {
    pub(crate) fn new() -> ClockWatch {
        ClockWatch {
            latest: AtomicI64::new(i64::MIN),
            set_back: AtomicBool::new(true),
        }
    }

    /// Corrects stored due times if the clock was set back since the last call.
    pub(crate) async fn correct(&self, infra: &Infra) -> Result<(), StoreError> {
        let now = infra.now_ms();
        if !self.is_set_back(now) {
            return Ok(());
        }
        let write = infra.store.write(move |c| {
            while deliveries::clamp(c, now, BATCH)? > 0 {}
            while outbox::clamp(c, now, BATCH)? > 0 {}
            Ok(())
        });
        write.await?;
        self.set_back.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn is_set_back(&self, now_ms: i64) -> bool {
        let latest = self.latest.fetch_max(now_ms, Ordering::SeqCst);
        if now_ms < latest.saturating_sub(TOLERANCE_MS) {
            tracing::warn!(
                by_ms = latest.saturating_sub(now_ms),
                "clock was set back; due times are corrected"
            );
            self.latest.store(now_ms, Ordering::SeqCst);
            self.set_back.store(true, Ordering::SeqCst);
        }
        self.set_back.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clock_that_goes_back_is_noticed() {
        let watch = ClockWatch::new();
        assert!(watch.is_set_back(5_000), "at the start");
        watch.set_back.store(false, Ordering::SeqCst);
        assert!(!watch.is_set_back(900_000));
        assert!(!watch.is_set_back(899_500));
        assert!(watch.is_set_back(898_000));
        assert!(watch.is_set_back(898_100), "until it is corrected");
        watch.set_back.store(false, Ordering::SeqCst);
        assert!(!watch.is_set_back(898_200));
    }
}
