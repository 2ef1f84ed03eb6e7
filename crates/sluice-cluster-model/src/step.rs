//! The effect of each step.

use crate::{
    action::Action,
    cluster::Cluster,
    deliver::{Reply, deliver, deliver_claim},
    id::{Fence, NodeId, RequestId},
    look::{Sight, look},
    message::{Claim, Commit, Message},
    node::{Owner, Role},
    price::price,
    request::Phase,
    rule::{Rule, Rules},
};

/// The next state; `None` when the step is not possible.
pub(crate) fn step(cluster: &Cluster, action: &Action, rules: Rules) -> Option<Cluster> {
    let mut next = cluster.clone();
    next.faults = next.faults.checked_sub(price(cluster, action, rules))?;
    take(&mut next, action, rules)?;
    next.tidy(rules);
    Some(next)
}

fn take(cluster: &mut Cluster, action: &Action, rules: Rules) -> Option<()> {
    match action {
        Action::Send(request) => send_request(cluster, *request),
        Action::Store(request, taker) => store(cluster, *request, *taker),
        Action::Acknowledge(request, hinted) => {
            cluster.request_mut(*request).phase = Phase::Acknowledged;
            if let Some(node) = hinted {
                handle_work(cluster, *node, rules);
            }
        }
        Action::Sweep(node) => handle_work(cluster, *node, rules),
        Action::SlowClaim(node) => {
            let claim = start_claim(cluster, *node, rules);
            cluster.send(Message::Claim(claim));
        }
        Action::Read(node) => read_state(cluster, *node, rules)?,
        Action::Commit(node) => start_commit(cluster, *node)?,
        Action::RepeatCommit(node) => send_commit(cluster, *node)?,
        Action::HandOver(node) => hand_over(cluster, *node)?,
        Action::Deliver(message) => deliver(cluster, *message, Reply::Arrives, rules),
        Action::LoseReply(message) => deliver(cluster, *message, Reply::Lost, rules),
        Action::Lose(message) => cluster.take(*message),
        Action::Expire(incarnation) => {
            cluster.store.expired.insert(*incarnation);
        }
        Action::Renew(node) => renew(cluster, *node),
        Action::Rejoin(node) => {
            cluster.node_mut(*node).role = Role::Idle;
            renew(cluster, *node);
        }
        Action::Crash(node) => {
            cluster.node_mut(*node).role = Role::Idle;
            cluster.node_mut(*node).is_up = false;
        }
        Action::Restart(node) => {
            cluster.node_mut(*node).role = Role::Idle;
            cluster.node_mut(*node).incarnation.start += 1;
        }
    }
    Some(())
}

fn send_request(cluster: &mut Cluster, request: RequestId) {
    let follows = cluster.acknowledged();
    let request = cluster.request_mut(request);
    request.phase = Phase::Sent;
    request.follows = follows;
}

fn store(cluster: &mut Cluster, request: RequestId, taker: Option<NodeId>) {
    cluster.store.inbox.insert(request);
    cluster.request_mut(request).phase = Phase::Stored;
    if let Some(owner) = taker.and_then(|node| cluster.node_mut(node).owner_mut()) {
        owner.mailbox.insert(request);
    }
}

fn handle_work(cluster: &mut Cluster, node: NodeId, rules: Rules) {
    match look(cluster, node, rules) {
        Sight::Nothing => {}
        Sight::Unread(rows) => {
            if let Some(owner) = cluster.node_mut(node).owner_mut() {
                owner.read(rows, rules);
            }
        }
        Sight::Claimable => {
            let claim = start_claim(cluster, node, rules);
            deliver_claim(cluster, claim, Reply::Arrives, rules);
        }
    }
}

/// An owner that is still there stops first: it has lost its claim.
fn start_claim(cluster: &mut Cluster, node: NodeId, rules: Rules) -> Claim {
    let reads_first = !rules.include(Rule::ReadFollowsClaim);
    let stale = reads_first.then(|| cluster.store.read());
    let node = cluster.node_mut(node);
    node.role = Role::Idle;
    Claim {
        by: node.incarnation,
        stale,
    }
}

fn read_state(cluster: &mut Cluster, node: NodeId, rules: Rules) -> Option<()> {
    let state = cluster.store.read();
    let role = &mut cluster.node_mut(node).role;
    let Role::Claimed { epoch } = *role else {
        return None;
    };
    *role = Role::Owner(Owner::new(epoch, state, rules));
    Some(())
}

fn start_commit(cluster: &mut Cluster, node: NodeId) -> Option<()> {
    let owner = cluster.node_mut(node).owner_mut()?;
    let request = owner.mailbox.first()?;
    owner.mailbox.remove(request);
    owner.committing = Some(request);
    send_commit(cluster, node)
}

/// Sends the commit in progress, which is the same each time.
fn send_commit(cluster: &mut Cluster, node: NodeId) -> Option<()> {
    let owner = cluster.node(node).owner()?;
    let commit = Commit {
        fence: Fence {
            owner: cluster.node(node).incarnation,
            epoch: owner.epoch,
        },
        number: owner.commit_no + 1,
        request: owner.committing?,
        count: owner.count + 1,
    };
    cluster.send(Message::Commit(commit));
    Some(())
}

fn hand_over(cluster: &mut Cluster, node: NodeId) -> Option<()> {
    let node = cluster.node_mut(node);
    let fence = Fence {
        owner: node.incarnation,
        epoch: node.owner()?.epoch,
    };
    node.role = Role::Idle;
    cluster.send(Message::Release(fence));
    Some(())
}

fn renew(cluster: &mut Cluster, node: NodeId) {
    let incarnation = cluster.node(node).incarnation;
    cluster.store.expired.remove(&incarnation);
}
