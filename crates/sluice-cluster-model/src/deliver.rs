//! Transactions, with the replies to their nodes.

use crate::{
    cluster::Cluster,
    message::{Claim, Commit, Message},
    node::{Owner, Role},
    rule::Rules,
    store::Outcome,
};

/// Whether the reply to a message arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Arrives,
    Lost,
}

pub(crate) fn deliver(cluster: &mut Cluster, message: Message, reply: Reply, rules: Rules) {
    cluster.take(message);
    match message {
        Message::Claim(claim) => deliver_claim(cluster, claim, reply, rules),
        Message::Commit(commit) => deliver_commit(cluster, commit, reply, rules),
        Message::Release(fence) => cluster.store.release(fence),
    }
}

pub(crate) fn deliver_claim(cluster: &mut Cluster, claim: Claim, reply: Reply, rules: Rules) {
    let Some(epoch) = cluster.store.claim(claim.by, rules) else {
        return;
    };
    let waits = cluster.runs(claim.by) && cluster.node(claim.by.node).role == Role::Idle;
    if waits && reply == Reply::Arrives {
        cluster.node_mut(claim.by.node).role = match claim.stale {
            None => Role::Claimed { epoch },
            Some(state) => Role::Owner(Owner::new(epoch, state, rules)),
        };
    }
}

fn deliver_commit(cluster: &mut Cluster, commit: Commit, reply: Reply, rules: Rules) {
    let outcome = cluster.store.commit(commit, rules);
    if reply == Reply::Lost || !cluster.expects_reply(commit) {
        return;
    }
    let node = cluster.node_mut(commit.fence.owner.node);
    if outcome == Outcome::Fenced {
        node.role = Role::Idle;
    } else if let Some(owner) = node.owner_mut() {
        owner.finish_commit();
    }
}
