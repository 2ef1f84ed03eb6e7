//! This node, and what it knows of the others.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, AtomicI64},
};

use parking_lot::Mutex;
use sluice_store::nodes::{NewNode, NodeState};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{clock::DatabaseTime, hint::Hint, lease::Lease, links::Links, members::Members};

pub(crate) struct ThisNode {
    pub(crate) description: NewNode,
    /// It has a database of its own, and no heartbeat.
    pub(crate) owns_database: bool,
    /// It works as if there were no other node. Meaningless without the lease.
    pub(crate) alone: AtomicBool,
    /// When it last joined, in milliseconds since the start of the machine.
    pub(crate) joined_at: AtomicI64,
    pub(crate) lease: Lease,
    pub(crate) state: Mutex<NodeState>,
    /// `None` on a database of its own.
    pub(crate) time: Option<Arc<DatabaseTime>>,
    /// As of the last heartbeat.
    pub(crate) members: Arc<Members>,
    /// `None` when it cannot be reached by others.
    pub(crate) links: Option<Arc<Links>>,
    pub(crate) received: mpsc::UnboundedSender<Received>,
    /// Until the engine takes it.
    pub(crate) inbound: Mutex<Option<mpsc::UnboundedReceiver<Received>>>,
    /// Counts the times at which other nodes were found dead, after their sessions were ended.
    pub(crate) deaths: watch::Sender<u64>,
    /// Called before this node works as the only one.
    pub(crate) before_alone: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Ends the heartbeat.
    pub(crate) stop: CancellationToken,
}

/// A hint of another node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The incarnation of the sender.
    pub from: String,
    pub hint: Hint,
}
