//! Messages from nodes to the store. Each is one transaction.

use crate::{
    id::{Fence, Incarnation, RequestId},
    snapshot::Snapshot,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    Claim(Claim),
    Commit(Commit),
    /// Ends a claim.
    Release(Fence),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    pub by: Incarnation,
    /// The state as it was before the claim, without [`Rule::ReadFollowsClaim`](crate::Rule).
    pub(crate) stale: Option<Snapshot>,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commit {
    pub fence: Fence,
    pub number: u8,
    pub request: RequestId,
    /// The new state.
    pub count: u8,
}

impl Message {
    pub(crate) fn sender(self) -> Incarnation {
        match self {
            Message::Claim(claim) => claim.by,
            Message::Commit(commit) => commit.fence.owner,
            Message::Release(fence) => fence.owner,
        }
    }

    pub(crate) fn sender_mut(&mut self) -> &mut Incarnation {
        match self {
            Message::Claim(claim) => &mut claim.by,
            Message::Commit(commit) => &mut commit.fence.owner,
            Message::Release(fence) => &mut fence.owner,
        }
    }

    pub(crate) fn as_claim(self) -> Option<Claim> {
        match self {
            Message::Claim(claim) => Some(claim),
            Message::Commit(_) | Message::Release(_) => None,
        }
    }

    pub(crate) fn as_commit(self) -> Option<Commit> {
        match self {
            Message::Commit(commit) => Some(commit),
            Message::Claim(_) | Message::Release(_) => None,
        }
    }
}
