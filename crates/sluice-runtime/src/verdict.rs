//! Our reasons for ending a process.

use crate::{outcome::Failure, watchdog::Overuse};

/// Why a process was killed, when it was our decision.
#[derive(Clone)]
pub(crate) enum Verdict {
    Overdue,
    Misbehaved(String),
    Overused(Overuse),
}

impl Verdict {
    /// How an invocation failed that was alone when this was found; none when it may have been something else.
    pub(crate) fn as_failure(&self) -> Option<Failure> {
        let (name, message) = match self {
            Verdict::Overdue => (
                "Timeout",
                "the invocation overran its time without giving way and was stopped".to_owned(),
            ),
            Verdict::Overused(overuse) => (
                overuse.name(),
                format!("the invocation was stopped: {overuse}"),
            ),
            Verdict::Misbehaved(_) => return None,
        };
        Some(Failure {
            name: name.to_owned(),
            message,
            stack: String::new(),
            code: None,
        })
    }
}
