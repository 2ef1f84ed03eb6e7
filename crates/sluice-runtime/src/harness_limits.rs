//! The limits that the harness enforces, with errors that name the cause. The server enforces its own behind them.

use serde::Serialize;

use crate::{ask, limits::Limits, report_limits::MAX_REPLY};

/// In bytes.
#[derive(Serialize)]
pub(crate) struct HarnessLimits {
    emit: usize,
    emits: usize,
    log: usize,
    /// One response, as JSON.
    reply: usize,
    /// The whole key-value store.
    db: usize,
    /// One value of a data store.
    value: usize,
    /// The number of questions that may be pending.
    asks: usize,
}

impl HarnessLimits {
    pub(crate) fn of(limits: &Limits) -> HarnessLimits {
        HarnessLimits {
            emit: limits.emit_bytes,
            emits: limits.emits_bytes,
            log: limits.log_bytes,
            reply: MAX_REPLY,
            db: limits.db_bytes,
            value: limits.data_store_value_bytes,
            asks: ask::MAX_PENDING,
        }
    }

    /// With a smaller limit for the key-value store, if one is given.
    pub(crate) fn with_store(self, max: Option<usize>) -> HarnessLimits {
        let db = max.map_or(self.db, |max| max.min(self.db));
        HarnessLimits { db, ..self }
    }
}

/// The limits for a process without a supervisor.
pub(crate) fn harness_limits(limits: &Limits) -> String {
    serde_json::to_string(&HarnessLimits::of(limits)).unwrap_or_default()
}
