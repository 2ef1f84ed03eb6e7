//! The status of a node, as this one knows it.

use sluice_store::nodes::{Node, NodeState};

use crate::membership::Cluster;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeStatus {
    Active,
    /// It finishes its work and takes no more.
    Draining,
    /// It was stopped.
    Stopped,
    /// It does not renew its lease.
    Lost,
}

impl NodeStatus {
    pub const ALL: [NodeStatus; 4] = [
        NodeStatus::Active,
        NodeStatus::Draining,
        NodeStatus::Stopped,
        NodeStatus::Lost,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            NodeStatus::Active => "active",
            NodeStatus::Draining => "draining",
            NodeStatus::Stopped => "stopped",
            NodeStatus::Lost => "lost",
        }
    }
}

impl Cluster {
    /// The status of a node, as of the last heartbeat. This one knows its own better: without a lease it still has the list in
    /// which it was alive.
    pub fn status_of(&self, node: &Node) -> NodeStatus {
        let (state, is_alive) = if self.is_this(node) {
            (self.state(), self.lease().is_held())
        } else {
            (node.state, node.is_alive())
        };
        match state {
            NodeState::Stopped => NodeStatus::Stopped,
            _ if !is_alive => NodeStatus::Lost,
            NodeState::Active => NodeStatus::Active,
            NodeState::Draining => NodeStatus::Draining,
        }
    }

    /// Whether a node is the one that this program is.
    pub fn is_this(&self, node: &Node) -> bool {
        node.incarnation == self.incarnation()
    }
}
