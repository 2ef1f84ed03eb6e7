//! Detects a clock that was set back: due times stored before the jump would otherwise wait for the whole jump.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Smaller jumps are ignored: they cost no more than this.
const TOLERANCE_MS: i64 = 1_000;

/// One for each set of due times. It asks for a correction at the start, because the clock may have been set back while
/// the server was down.
#[derive(Debug)]
pub struct ClockWatch {
    latest: AtomicI64,
    needs_correction: AtomicBool,
}

impl Default for ClockWatch {
    fn default() -> ClockWatch {
        ClockWatch {
            latest: AtomicI64::new(i64::MIN),
            needs_correction: AtomicBool::new(true),
        }
    }
}

impl ClockWatch {
    /// Whether due times must be corrected, now or since an earlier call.
    pub fn needs_correction(&self, now_ms: i64) -> bool {
        let latest = self.latest.fetch_max(now_ms, Ordering::SeqCst);
        if now_ms < latest.saturating_sub(TOLERANCE_MS) {
            let by_ms = latest.saturating_sub(now_ms);
            tracing::warn!(by_ms, "clock was set back; correcting due times");
            self.latest.store(now_ms, Ordering::SeqCst);
            self.needs_correction.store(true, Ordering::SeqCst);
        }
        self.needs_correction.load(Ordering::SeqCst)
    }

    /// The due times are correct for the clock as it is.
    pub fn corrected(&self) {
        self.needs_correction.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_goes_back_needs_one_correction() {
        let watch = ClockWatch::default();
        assert!(watch.needs_correction(5_000), "at the start");
        watch.corrected();
        assert!(!watch.needs_correction(900_000));
        assert!(!watch.needs_correction(899_500), "within the tolerance");
        assert!(watch.needs_correction(898_000));
        assert!(watch.needs_correction(898_100), "until it is corrected");
        watch.corrected();
        assert!(!watch.needs_correction(898_200));
    }
}
