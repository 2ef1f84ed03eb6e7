//! The work that a node sees when it looks at the store, after a hint or in a sweep.

use crate::{
    cluster::Cluster,
    id::{NodeId, RequestSet},
    node::{Node, Role},
    rule::{Rule, Rules},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    Nothing,
    /// Rows of its own emitter that it does not know.
    Unread(RequestSet),
    /// Work that it can claim.
    Claimable,
}

/// An owner reads without knowledge of its lease.
pub(crate) fn look(cluster: &Cluster, id: NodeId, rules: Rules) -> Sight {
    let node = cluster.node(id);
    let store = &cluster.store;
    let may_claim = match &node.role {
        Role::Owner(owner) if store.row.owner == Some(node.incarnation) => {
            let unread = owner.unread(store.inbox);
            return if unread.is_empty() {
                Sight::Nothing
            } else {
                Sight::Unread(unread)
            };
        }
        Role::Owner(_) => rules.include(Rule::SweepReplacesStaleOwner),
        Role::Claimed { .. } => false,
        Role::Idle => true,
    };
    if may_claim && sees_claimable(cluster, node, rules) {
        Sight::Claimable
    } else {
        Sight::Nothing
    }
}

/// A node claims only with a lease. A slow claim may arrive without one.
fn sees_claimable(cluster: &Cluster, node: &Node, rules: Rules) -> bool {
    let store = &cluster.store;
    let claimant = node.incarnation;
    !store.inbox.is_empty() && store.is_live(claimant) && store.can_claim(claimant, rules)
}
