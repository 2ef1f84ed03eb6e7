//! The wait of a process for its permit, with the limit that caused it.

use std::{fmt, time::Duration};

use sluice_runtime::OwnLimit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartDelay {
    pub(super) time: Duration,
    /// `None` when all permits of the server were taken.
    pub(super) limit: Option<OwnLimit>,
}

impl StartDelay {
    /// The flag of the limit.
    pub(super) fn flag(limit: Option<OwnLimit>) -> &'static str {
        match limit {
            None => "--max-processes",
            Some(OwnLimit::Count) => "--max-processes-per-account",
            Some(OwnLimit::Blocked) => "--max-memory-per-account",
        }
    }
}

impl fmt::Display for StartDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.limit {
            None => "all processes of the server are in use",
            Some(OwnLimit::Count) => "your account has as many busy processes as it may have",
            Some(OwnLimit::Blocked) => "the busy processes of your account use all its memory",
        };
        write!(
            f,
            "the process started {:.1} s late: {reason} ({})",
            self.time.as_secs_f64(),
            StartDelay::flag(self.limit)
        )
    }
}
