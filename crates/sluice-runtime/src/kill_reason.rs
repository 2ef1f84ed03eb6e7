//! The reasons for which the supervisor kills a process.

use crate::{inflight::Exceeded, outcome::Failure, overuse::Overuse};

#[derive(Clone)]
pub(crate) enum KillReason {
    Overdue,
    /// It kept the other tenants of its process waiting.
    Blocked,
    /// A tenant that runs something was stopped.
    Stopped,
    ProtocolError(String),
    Overused(Overuse),
    /// It reported more than the server keeps.
    Overreported(Exceeded),
}

impl From<Exceeded> for KillReason {
    fn from(exceeded: Exceeded) -> KillReason {
        KillReason::Overreported(exceeded)
    }
}

impl KillReason {
    /// The failure of an invocation that was the only one; `None` if the cause may have been another one.
    pub(crate) fn as_failure(&self) -> Option<Failure> {
        let (name, message) = match self {
            KillReason::Overdue => (
                "Timeout",
                "the invocation overran its time without giving way and was stopped".to_owned(),
            ),
            KillReason::Overused(overuse) => (
                overuse.name(),
                format!("the invocation was stopped: {overuse}"),
            ),
            KillReason::Overreported(exceeded) => (
                "ReportLimit",
                format!("the invocation was stopped: {exceeded}"),
            ),
            KillReason::Blocked | KillReason::Stopped | KillReason::ProtocolError(_) => {
                return None;
            }
        };
        Some(Failure {
            name: name.to_owned(),
            message,
            stack: String::new(),
            code: None,
            prop: None,
        })
    }
}
