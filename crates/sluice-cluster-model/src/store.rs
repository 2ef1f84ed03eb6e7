//! The database. Each method is one transaction.

use std::collections::BTreeSet;

use crate::{
    id::{Fence, Incarnation, RequestId, RequestSet},
    message::Commit,
    rule::{Rule, Rules},
    snapshot::Snapshot,
};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Store {
    pub(crate) row: Row,
    pub(crate) inbox: RequestSet,
    pub(crate) events: Vec<Event>,
    /// Incarnations whose lease has expired, as far as a claim depends on it.
    pub(crate) expired: BTreeSet<Incarnation>,
}

/// The row of the emitter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Row {
    pub(crate) owner: Option<Incarnation>,
    pub(crate) epoch: u8,
    pub(crate) commit_no: u8,
    /// The state: the number of requests that its owners have run.
    pub(crate) count: u8,
}

/// The event of a request, and the commit that it came with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Event {
    pub(crate) request: RequestId,
    pub(crate) epoch: u8,
    pub(crate) number: u8,
}

/// The result of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Kept,
    /// An earlier attempt of this commit was kept, as far as the row tells.
    Repeated,
    Fenced,
}

impl Store {
    pub(crate) fn is_live(&self, incarnation: Incarnation) -> bool {
        !self.expired.contains(&incarnation)
    }

    /// Whether another owner has the emitter, and a lease.
    pub(crate) fn is_taken(&self, claimant: Incarnation) -> bool {
        let owner = self.row.owner;
        owner.is_some_and(|owner| owner != claimant && self.is_live(owner))
    }

    pub(crate) fn can_claim(&self, claimant: Incarnation, rules: Rules) -> bool {
        if self.row.owner == Some(claimant) {
            rules.include(Rule::ClaimIncludesOwn) || !self.is_live(claimant)
        } else {
            !self.is_taken(claimant) || !rules.include(Rule::ClaimNeedsExpiredLease)
        }
    }

    /// Returns the epoch of the claim.
    pub(crate) fn claim(&mut self, claimant: Incarnation, rules: Rules) -> Option<u8> {
        if !self.can_claim(claimant, rules) {
            return None;
        }
        self.row.owner = Some(claimant);
        self.row.epoch += 1;
        Some(self.row.epoch)
    }

    pub(crate) fn read(&self) -> Snapshot {
        Snapshot {
            commit_no: self.row.commit_no,
            count: self.row.count,
            inbox: self.inbox,
        }
    }

    /// The result that a commit would have now.
    pub(crate) fn outcome(&self, commit: Commit, rules: Rules) -> Outcome {
        let is_owner = self.row.owner == Some(commit.fence.owner);
        let is_epoch = self.row.epoch == commit.fence.epoch;
        let follows = self.row.commit_no + 1 == commit.number;
        if !is_owner || (!is_epoch && rules.include(Rule::CommitNamesEpoch)) {
            Outcome::Fenced
        } else if follows || !rules.include(Rule::CommitNamesNumber) {
            Outcome::Kept
        } else if self.row.commit_no == commit.number {
            Outcome::Repeated
        } else {
            Outcome::Fenced
        }
    }

    pub(crate) fn commit(&mut self, commit: Commit, rules: Rules) -> Outcome {
        let outcome = self.outcome(commit, rules);
        if outcome == Outcome::Kept {
            self.row.commit_no += 1;
            self.row.count = commit.count;
            self.inbox.remove(commit.request);
            self.events.push(Event {
                request: commit.request,
                epoch: commit.fence.epoch,
                number: commit.number,
            });
        }
        outcome
    }

    pub(crate) fn holds(&self, fence: Fence) -> bool {
        self.row.owner == Some(fence.owner) && self.row.epoch == fence.epoch
    }

    pub(crate) fn release(&mut self, fence: Fence) {
        if self.holds(fence) {
            self.row.owner = None;
        }
    }
}
