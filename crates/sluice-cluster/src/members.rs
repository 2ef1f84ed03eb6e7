//! The nodes of the database, as of the last heartbeat.

use std::sync::Arc;

use sluice_store::nodes::Node;
use tokio::sync::watch;

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

/// Whether another node that is alive works as the only one.
pub(crate) fn is_anyone_alone(nodes: &[Node], this: &str) -> bool {
    let mut others = nodes.iter().filter(|node| node.incarnation != this);
    others.any(|node| node.is_alive() && node.alone)
}
