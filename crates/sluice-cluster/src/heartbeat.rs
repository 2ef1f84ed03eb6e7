//! The heartbeat: renews the lease of this node every second, and learns of the others with the same answer.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use sluice_store::{
    Store, StoreError,
    nodes::{self, Node, NodeState},
};

use crate::{boot_time, clock::Reading, members::is_anyone_alone, this_node::ThisNode};

const INTERVAL: Duration = Duration::from_secs(1);
/// After a failure.
const RETRY: Duration = Duration::from_millis(200);
/// When the lease of another node has surely run out.
const JUST_AFTER: Duration = Duration::from_millis(20);

/// Beats until the node leaves.
pub(crate) async fn beat(store: Store, node: Arc<ThisNode>) {
    let mut pause = INTERVAL;
    let mut dead = DeadNodes::default();
    let stop = &node.stop;
    while stop.run_until_cancelled(rest(&node, pause)).await.is_some() {
        pause = match renew(&store, &node).await {
            Ok(pause) => {
                if dead.end_sessions(&store, &node).await {
                    node.deaths.send_modify(|deaths| *deaths += 1);
                }
                pause
            }
            Err(error) => {
                tracing::warn!(%error, "lease not renewed; retrying");
                RETRY
            }
        };
    }
}

/// Nodes that are not alive, and whose sessions were ended. A transaction of a node that is frozen would hold its locks.
#[derive(Default)]
struct DeadNodes(HashSet<String>);

impl DeadNodes {
    /// Whether there are more of them now.
    async fn end_sessions(&mut self, store: &Store, node: &ThisNode) -> bool {
        if !node.lease.may_take_over() {
            return false;
        }
        let mut has_more = false;
        let members = node.members.all();
        for member in members.iter() {
            let name = &member.incarnation;
            if member.is_alive() || member.state == NodeState::Stopped {
                self.0.remove(name);
            } else if !self.0.contains(name) {
                let incarnation = name.clone();
                let end = store.heartbeat(move |c| nodes::end_sessions(c, &incarnation));
                match end.await {
                    Ok(()) => has_more |= self.0.insert(name.clone()),
                    Err(error) => {
                        tracing::warn!(node = member.name, %error, "sessions of a dead node not ended");
                    }
                }
            }
        }
        has_more
    }
}

/// Waits for the next beat. A lease that runs out meanwhile is reported.
async fn rest(node: &ThisNode, pause: Duration) {
    let end = node.lease.end().map_or(Duration::MAX, boot_time::until);
    tokio::time::sleep(pause.min(end)).await;
    node.lease.tell();
    tokio::time::sleep(pause.saturating_sub(end)).await;
}

async fn renew(store: &Store, node: &ThisNode) -> Result<Duration, StoreError> {
    let mut sent = boot_time::now_ms();
    let renewed = renew_row(store, node).await;
    node.lease.tell();
    let members = if let Some(members) = renewed? {
        members
    } else {
        node.lease.end_now();
        sent = boot_time::now_ms();
        join_again(store, node).await?
    };
    let this = &node.description.incarnation;
    let settled = settle_with(store, node, &members).await?;
    let pause = settled.min(until_next_end(&members, this));
    let was_held = node.lease.is_held();
    let joined_at = node.joined_at.load(Ordering::Relaxed);
    if was_held || !is_anyone_alone(&members, this, joined_at) {
        node.lease.renewed(sent);
        if !was_held {
            tracing::info!("lease granted");
        }
    }
    node.members.set(members);
    Ok(if node.lease.is_held() { pause } else { RETRY })
}

/// Renews the lease in the database, and reads the other nodes and the time. `None` when the lease has run out.
async fn renew_row(store: &Store, node: &ThisNode) -> Result<Option<Vec<Node>>, StoreError> {
    let (incarnation, state) = (node.description.incarnation.clone(), *node.state.lock());
    let alone = node.alone.load(Ordering::Acquire);
    let renewed = store.heartbeat(move |c| {
        let before = boot_time::now_ms();
        let Some(renewed) = nodes::renew(c, &incarnation, state, alone)? else {
            return Ok(None);
        };
        let reading = Reading {
            before,
            database: renewed.now_ms,
            after: boot_time::now_ms(),
        };
        Ok(Some((renewed.nodes, reading)))
    });
    let Some((members, reading)) = renewed.await? else {
        return Ok(None);
    };
    if let Some(time) = &node.time {
        time.correct(reading);
    }
    Ok(Some(members))
}

/// The lease has run out in the database, so others may work as if this node did not exist.
async fn join_again(store: &Store, node: &ThisNode) -> Result<Vec<Node>, StoreError> {
    node.alone.store(false, Ordering::Release);
    let description = node.description.clone();
    let joined = store.heartbeat(move |c| {
        nodes::lock_joins(c)?;
        nodes::join(c, &description, false)?;
        nodes::list(c)
    });
    let members = joined.await?;
    node.joined_at.store(boot_time::now_ms(), Ordering::Relaxed);
    Ok(members)
}

/// The time until the lease of another node would run out, so that its end is noticed at once. Others renew long before.
fn until_next_end(members: &[Node], this: &str) -> Duration {
    let others = members.iter().filter(|other| other.incarnation != *this);
    let ends = others
        .filter(|other| other.is_alive())
        .filter_map(|other| u64::try_from(other.lease_left_ms).ok());
    ends.min().map_or(Duration::MAX, |left| {
        Duration::from_millis(left) + JUST_AFTER
    })
}

/// Decides whether this node works as the only one. Returns the pause before the next beat.
async fn settle_with(
    store: &Store,
    node: &ThisNode,
    members: &[Node],
) -> Result<Duration, StoreError> {
    let this = &node.description.incarnation;
    let mut others = members.iter().filter(|other| other.incarnation != *this);
    let has_others = others.any(Node::is_alive);
    let alone = node.alone.load(Ordering::Acquire);
    if alone && has_others {
        // The others wait for this.
        node.alone.store(false, Ordering::Release);
        return Ok(Duration::ZERO);
    }
    if !alone && !has_others {
        let incarnation = this.clone();
        let become_alone = store.heartbeat(move |c| {
            nodes::lock_joins(c)?;
            nodes::become_alone(c, &incarnation)
        });
        if become_alone.await? {
            if let Some(call) = node.before_alone.get() {
                call();
            }
            node.alone.store(true, Ordering::Release);
        }
    }
    Ok(INTERVAL)
}
