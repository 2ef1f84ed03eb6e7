//! A request, as its client sees it.

use crate::id::RequestSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Request {
    pub(crate) phase: Phase,
    /// The requests that were acknowledged before this one was sent. Their events come first.
    pub(crate) follows: RequestSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    Unsent,
    /// It has a number. Its row is not visible yet.
    Sent,
    /// Its row is visible. The client has no answer.
    Stored,
    Acknowledged,
}

impl Request {
    pub(crate) fn unsent() -> Request {
        Request {
            phase: Phase::Unsent,
            follows: RequestSet::default(),
        }
    }
}
