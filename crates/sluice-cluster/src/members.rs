//! The nodes of the database, as of the last heartbeat.

use std::sync::Arc;

use sluice_store::nodes::{LEASE_MS, Node};
use tokio::sync::watch;

use crate::boot_time;

/// The nodes that are known, also some that have ended.
pub(crate) struct Members(watch::Sender<Arc<[Node]>>);

impl Members {
    pub(crate) fn new(nodes: Vec<Node>) -> Members {
        Members(watch::Sender::new(nodes.into()))
    }

    pub(crate) fn all(&self) -> Arc<[Node]> {
        Arc::clone(&self.0.borrow())
    }

    pub(crate) fn set(&self, nodes: Vec<Node>) {
        self.0.send_replace(nodes.into());
    }

    pub(crate) fn is_alive(&self, node: &str) -> bool {
        let nodes = self.0.borrow();
        let mut alive = nodes.iter().filter(|other| other.is_alive());
        alive.any(|other| other.incarnation == node)
    }

    /// Where a node that is alive listens.
    pub(crate) fn address_of(&self, node: &str) -> Option<String> {
        let nodes = self.0.borrow();
        let mut alive = nodes.iter().filter(|other| other.is_alive());
        alive
            .find(|other| other.incarnation == node)?
            .address
            .clone()
    }
}

/// Whether another node works as the only one, or did so and may not know of this one, which joined at `joined_at`. A node
/// with a lease learns of others within the period of a lease.
pub(crate) fn is_anyone_alone(nodes: &[Node], this: &str, joined_at: i64) -> bool {
    let all_know = boot_time::now_ms() - joined_at >= LEASE_MS;
    let mut others = nodes.iter().filter(|node| node.incarnation != this);
    others.any(|node| node.alone && (node.is_alive() || (!all_know && node.may_be_unaware())))
}
