//! The number of faults that a step costs.

use crate::{
    action::Action,
    cluster::Cluster,
    id::NodeId,
    look::{Sight, look},
    message::Message,
    rule::Rules,
};

pub(crate) fn price(cluster: &Cluster, action: &Action, rules: Rules) -> u8 {
    let is_fault = match action {
        Action::Crash(_)
        | Action::Restart(_)
        | Action::HandOver(_)
        | Action::SlowClaim(_)
        | Action::Lose(_)
        | Action::LoseReply(Message::Commit(_)) => true,
        Action::Expire(incarnation) => cluster.runs(*incarnation),
        Action::RepeatCommit(node) => has_sent_commit(cluster, *node),
        Action::Sweep(node) | Action::Acknowledge(_, Some(node)) => {
            claims_early(cluster, *node, rules)
        }
        _ => false,
    };
    u8::from(is_fault)
}

fn has_sent_commit(cluster: &Cluster, node: NodeId) -> bool {
    let sender = cluster.node(node).incarnation;
    let mut commits = cluster.commits();
    commits.any(|commit| commit.fence.owner == sender)
}

/// Whether the node would claim from an owner that has a lease, without [`Rule::ClaimNeedsExpiredLease`](crate::Rule).
fn claims_early(cluster: &Cluster, node: NodeId, rules: Rules) -> bool {
    let claimant = cluster.node(node).incarnation;
    cluster.store.is_taken(claimant) && look(cluster, node, rules) == Sight::Claimable
}
