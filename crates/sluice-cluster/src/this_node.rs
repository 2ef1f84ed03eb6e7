//! This node, and what it knows of the others.

use std::sync::Arc;

use parking_lot::Mutex;
use sluice_store::nodes::{NewNode, Node, NodeState};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::lease::Lease;

pub(crate) struct ThisNode {
    pub(crate) description: NewNode,
    /// It has a database of its own, and no heartbeat.
    pub(crate) is_alone: bool,
    pub(crate) lease: Lease,
    pub(crate) state: Mutex<NodeState>,
    /// As of the last heartbeat.
    pub(crate) members: watch::Sender<Arc<[Node]>>,
    /// Ends the heartbeat.
    pub(crate) stop: CancellationToken,
}
