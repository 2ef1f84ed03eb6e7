//! Situations that must be reachable, or else the model shows too little.

use crate::{
    cluster::Cluster,
    look::{Sight, look},
    message::Message,
    properties::commits_with,
    rule::Rules,
    store::Outcome,
};

/// A node sees work whose owner is another one.
pub(crate) fn takeover(cluster: &Cluster, rules: Rules) -> bool {
    let owner = cluster.store.row.owner;
    cluster.running().any(|node| {
        owner.is_some_and(|owner| owner != node.incarnation)
            && look(cluster, node.id(), rules) == Sight::Claimable
    })
}

pub(crate) fn refused_claim(cluster: &Cluster, rules: Rules) -> bool {
    let mut claims = cluster.claims();
    claims.any(|claim| !cluster.store.can_claim(claim.by, rules))
}

pub(crate) fn fenced_commit(cluster: &Cluster, rules: Rules) -> bool {
    let mut fenced = commits_with(cluster, Outcome::Fenced, rules);
    fenced.any(|commit| cluster.expects_reply(commit))
}

pub(crate) fn repeated_commit(cluster: &Cluster, rules: Rules) -> bool {
    let mut repeated = commits_with(cluster, Outcome::Repeated, rules);
    repeated.any(|commit| cluster.expects_reply(commit))
}

pub(crate) fn commit_without_lease(cluster: &Cluster, rules: Rules) -> bool {
    let mut kept = commits_with(cluster, Outcome::Kept, rules);
    kept.any(|commit| !cluster.store.is_live(commit.fence.owner))
}

pub(crate) fn commit_after_crash(cluster: &Cluster, rules: Rules) -> bool {
    let mut kept = commits_with(cluster, Outcome::Kept, rules);
    kept.any(|commit| !cluster.runs(commit.fence.owner))
}

pub(crate) fn hand_over(cluster: &Cluster) -> bool {
    cluster.network.iter().any(|message| match message {
        Message::Release(fence) => cluster.store.holds(*fence),
        Message::Claim(_) | Message::Commit(_) => false,
    })
}

pub(crate) fn all_done(cluster: &Cluster) -> bool {
    cluster.store.events.len() == cluster.requests.len()
}
