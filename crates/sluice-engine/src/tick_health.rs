//! Punctuality of timers: how late ticks are dispatched and how many never run. They are metrics, and a warning at most once
//! a minute.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_infra::{Infra, SkipLabel, millis};
use sluice_model::{EmitterId, TimerSpec};
use sluice_store::inbox::InboxKind;
use tokio::sync::Notify;

use crate::work::Work;

/// A tick that is dispatched later than this is late.
pub const LATE: Duration = Duration::from_secs(5);
/// Late ticks of this time are in the first warning.
const COLLECT: Duration = Duration::from_secs(5);
const WARNING_PERIOD: Duration = Duration::from_mins(1);

/// Ticks of one timer that never ran, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SkippedTicks {
    /// The server was down.
    pub(crate) down: u64,
    /// The tick before had not been dispatched yet.
    pub(crate) waiting: u64,
    /// The tick before was still running.
    pub(crate) running: u64,
}

/// The course of a tick, in epoch milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TickTimes {
    pub(crate) due: i64,
    /// `None` if it ended without a process.
    pub(crate) dispatched: Option<i64>,
    pub(crate) ended: i64,
}

impl TickTimes {
    pub(crate) fn lateness_ms(&self) -> i64 {
        let started = self.dispatched.unwrap_or(self.ended);
        started.saturating_sub(self.due).max(0)
    }

    /// The ticks that were due before this one ended. `started_at` is the start of the server.
    pub(crate) fn skipped(&self, timer: &TimerSpec, started_at: i64) -> SkippedTicks {
        let until = |time: i64| timer.ticks_after(self.due, time.min(self.ended));
        let total = until(self.ended);
        if total == 0 {
            return SkippedTicks::default();
        }
        let down = until(started_at);
        let before = until(self.dispatched.unwrap_or(self.ended)).max(down);
        SkippedTicks {
            down,
            waiting: before - down,
            running: total.saturating_sub(before),
        }
    }
}

impl SkippedTicks {
    pub(crate) fn total(self) -> u64 {
        self.down + self.waiting + self.running
    }

    pub(crate) fn add(&mut self, more: SkippedTicks) {
        self.down += more.down;
        self.waiting += more.waiting;
        self.running += more.running;
    }
}

/// Whether a tick counts as late.
pub(crate) fn is_late(lateness_ms: i64) -> bool {
    lateness_ms > millis(LATE)
}

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct TickHealth {
    infra: Infra,
    unreported: Arc<Unreported>,
}

#[derive(Default)]
struct Unreported {
    summary: Mutex<Summary>,
    changed: Notify,
}

/// Everything since the last warning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Summary {
    late: u64,
    worst: Option<(i64, EmitterId)>,
    skipped: SkippedTicks,
}

impl TickHealth {
    pub(crate) fn new(infra: &Infra) -> TickHealth {
        TickHealth {
            infra: infra.clone(),
            unreported: Arc::default(),
        }
    }

    /// Work goes to a process. Only ticks count, and each once.
    pub(crate) fn dispatched(&self, emitter: &EmitterId, work: &mut Work) {
        if work.kind != InboxKind::Timer || work.dispatched_at.is_some() || work.is_suspect() {
            return;
        }
        let now_ms = self.infra.now_ms();
        work.dispatched_at = Some(now_ms);
        let lateness_ms = now_ms.saturating_sub(work.accepted_at).max(0);
        let lateness = Duration::from_millis(lateness_ms.unsigned_abs());
        let metrics = &self.infra.metrics;
        metrics
            .tick_lateness_seconds
            .observe(lateness.as_secs_f64());
        // A tick that was due while the server was down says nothing about its load.
        if is_late(lateness_ms) && work.accepted_at >= self.infra.started_at {
            self.unreported.summary.lock().late(emitter, lateness_ms);
            self.unreported.changed.notify_one();
        }
    }

    /// Ticks of an emitter never ran.
    pub(crate) fn skipped(&self, skipped: SkippedTicks) {
        if skipped.total() == 0 {
            return;
        }
        let SkippedTicks {
            down,
            waiting,
            running,
        } = skipped;
        for (reason, ticks) in [("down", down), ("waiting", waiting), ("running", running)] {
            let counter = &self.infra.metrics.ticks_skipped;
            counter.get_or_create(&SkipLabel { reason }).inc_by(ticks);
        }
        self.unreported.summary.lock().skipped.add(skipped);
        self.unreported.changed.notify_one();
    }

    /// Warns of late and skipped ticks until the server drains.
    pub(crate) async fn warn(self) {
        let shutdown = &self.infra.shutdown;
        while !shutdown.is_draining() {
            tokio::select! {
                () = self.unreported.changed.notified() => {}
                () = shutdown.draining() => {}
            }
            shutdown.sleep(COLLECT).await;
            std::mem::take(&mut *self.unreported.summary.lock()).log();
            shutdown.sleep(WARNING_PERIOD.saturating_sub(COLLECT)).await;
        }
    }
}

impl Summary {
    fn late(&mut self, emitter: &EmitterId, lateness_ms: i64) {
        self.late += 1;
        if self
            .worst
            .as_ref()
            .is_none_or(|(worst, _)| lateness_ms > *worst)
        {
            self.worst = Some((lateness_ms, emitter.clone()));
        }
    }

    fn log(&self) {
        let Summary {
            late,
            worst,
            skipped,
        } = self;
        let Some(hint) = self.hint() else {
            return;
        };
        let worst_ms = worst.as_ref().map(|(lateness, _)| *lateness);
        let worst = worst.as_ref().map(|(_, emitter)| emitter.as_str());
        tracing::warn!(
            late,
            worst_ms,
            worst,
            skipped = skipped.total(),
            skipped_waiting = skipped.waiting,
            skipped_running = skipped.running,
            skipped_down = skipped.down,
            hint,
            "timer ticks were late or skipped"
        );
    }

    /// The remedy; none if nothing was late or skipped.
    fn hint(&self) -> Option<&'static str> {
        if self.late > 0 || self.skipped.waiting > 0 {
            Some(
                "spread schedules over the minute, raise --max-processes, or use more cores; \
                 sluice_permits_waiting shows what starts wait for",
            )
        } else if self.skipped.running > 0 {
            Some("runs take longer than their interval: use longer intervals")
        } else if self.skipped.down > 0 {
            Some("the server was down when they were due")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
