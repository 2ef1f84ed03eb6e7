//! The state that a claimant reads.

use crate::id::RequestSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Snapshot {
    pub(crate) commit_no: u8,
    pub(crate) count: u8,
    pub(crate) inbox: RequestSet,
}
