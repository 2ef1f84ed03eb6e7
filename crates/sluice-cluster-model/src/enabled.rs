//! The steps that can come next.

use crate::{
    action::Action,
    cluster::Cluster,
    id::{Incarnation, RequestId},
    look::{Sight, look},
    message::Message,
    node::{Node, Role},
    price::price,
    request::Phase,
    rule::{Rule, Rules},
};

/// Adds the steps that cost at most a number of faults.
pub(crate) fn enabled(cluster: &Cluster, faults: u8, rules: Rules, actions: &mut Vec<Action>) {
    for request in cluster.request_ids() {
        accept(cluster, request, rules, actions);
    }
    for node in cluster.running() {
        work(cluster, node, rules, actions);
        fail(cluster, node, actions);
    }
    transmit(cluster, actions);
    expire(cluster, actions);
    actions.retain(|action| price(cluster, action, rules) <= faults);
}

fn accept(cluster: &Cluster, request: RequestId, rules: Rules, actions: &mut Vec<Action>) {
    match cluster.request(request).phase {
        Phase::Unsent if is_next(cluster, request) => actions.push(Action::Send(request)),
        Phase::Sent => {
            let takers = cluster.running().filter(|node| {
                let owner = node.owner();
                owner.is_some_and(|owner| owner.takes(request, cluster.store.inbox, rules))
            });
            actions.push(Action::Store(request, None));
            actions.extend(takers.map(|node| Action::Store(request, Some(node.id()))));
        }
        Phase::Stored => {
            let hinted = cluster.running().filter(|node| {
                let is_target = !cluster.store.is_taken(node.incarnation);
                is_target && look(cluster, node.id(), rules) != Sight::Nothing
            });
            actions.push(Action::Acknowledge(request, None));
            actions.extend(hinted.map(|node| Action::Acknowledge(request, Some(node.id()))));
        }
        Phase::Unsent | Phase::Acknowledged => {}
    }
}

/// Requests are sent in order, without loss of generality: they differ only in their number.
fn is_next(cluster: &Cluster, request: RequestId) -> bool {
    let earlier = &cluster.requests[..request.index()];
    earlier.iter().all(|other| other.phase != Phase::Unsent)
}

fn work(cluster: &Cluster, node: &Node, rules: Rules, actions: &mut Vec<Action>) {
    let id = node.id();
    let sight = look(cluster, id, rules);
    if sight != Sight::Nothing && rules.include(Rule::SweepFindsWork) {
        actions.push(Action::Sweep(id));
    }
    if sight == Sight::Claimable {
        actions.push(Action::SlowClaim(id));
    }
    match &node.role {
        Role::Claimed { .. } => actions.push(Action::Read(id)),
        Role::Owner(owner) if owner.committing.is_some() => actions.push(Action::RepeatCommit(id)),
        Role::Owner(owner) if !owner.is_quiet() => actions.push(Action::Commit(id)),
        Role::Owner(_) if has_other(cluster, node) => actions.push(Action::HandOver(id)),
        Role::Idle | Role::Owner(_) => {}
    }
}

/// Whether another node has a lease. Any node may be the preferred one: that depends on the id of the emitter.
fn has_other(cluster: &Cluster, node: &Node) -> bool {
    let mut others = cluster.running().filter(|other| other.id() != node.id());
    others.any(|other| cluster.store.is_live(other.incarnation))
}

fn fail(cluster: &Cluster, node: &Node, actions: &mut Vec<Action>) {
    let id = node.id();
    if !cluster.store.is_live(node.incarnation) {
        actions.push(Action::Renew(id));
        if node.role != Role::Idle {
            actions.push(Action::Rejoin(id));
        }
    }
    // A node that has nothing to lose starts again as it was.
    if node.role != Role::Idle || cluster.is_observed(node.incarnation) {
        actions.push(Action::Restart(id));
    }
    // One node always remains.
    if cluster.running().count() > 1 {
        actions.push(Action::Crash(id));
    }
}

fn transmit(cluster: &Cluster, actions: &mut Vec<Action>) {
    let mut last = None;
    for &message in &cluster.network {
        if last.replace(message) == Some(message) {
            continue;
        }
        actions.push(Action::Deliver(message));
        match message {
            // A lost claim leaves no trace: its node claims again.
            Message::Claim(_) => actions.push(Action::LoseReply(message)),
            Message::Commit(commit) => {
                actions.push(Action::Lose(message));
                if cluster.expects_reply(commit) {
                    actions.push(Action::LoseReply(message));
                }
            }
            Message::Release(_) => actions.push(Action::Lose(message)),
        }
    }
}

/// A lease expires when a claim depends on it. Without a claim, a node without a lease acts as one that has paused.
fn expire(cluster: &Cluster, actions: &mut Vec<Action>) {
    let claimants = cluster.claims().map(|claim| claim.by);
    let mut observed: Vec<Incarnation> = claimants.chain(cluster.store.row.owner).collect();
    observed.sort_unstable();
    observed.dedup();
    observed.retain(|&incarnation| cluster.store.is_live(incarnation));
    actions.extend(observed.into_iter().map(Action::Expire));
}
