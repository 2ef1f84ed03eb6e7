//! The rules of the design that the model can leave out.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A commit is kept only under the epoch of its claim.
    CommitNamesEpoch,
    /// A commit is kept only if its number follows the last one.
    CommitNamesNumber,
    /// A claimant reads the state after its claim has committed.
    ReadFollowsClaim,
    /// A claim takes an emitter from another owner only when the lease of that owner has expired.
    ClaimNeedsExpiredLease,
    /// A claim also takes an emitter whose row names the claimant, which may not know it.
    ClaimIncludesOwn,
    /// Every node looks for work at intervals, and so finds work whose hint was lost.
    SweepFindsWork,
    /// A node whose owner has lost its claim looks for work as a node without an owner does.
    SweepReplacesStaleOwner,
    /// An owner reads all rows that it does not know, and not only those behind the last one that it has read.
    ReadIncludesLateRows,
    /// An owner takes a request that it has accepted itself without a read only if it knows every earlier row.
    ShortcutKeepsOrder,
}

/// The rules that a cluster follows: all, or all but one.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    omitted: Option<Rule>,
}

impl Rules {
    pub const ALL: Rules = Rules { omitted: None };

    pub fn without(rule: Rule) -> Rules {
        Rules {
            omitted: Some(rule),
        }
    }

    pub(crate) fn include(self, rule: Rule) -> bool {
        self.omitted != Some(rule)
    }
}
