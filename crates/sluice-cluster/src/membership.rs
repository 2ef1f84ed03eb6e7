//! Joining and leaving, and the list of nodes.

use std::sync::Arc;

use parking_lot::Mutex;
use sluice_store::{
    Store, StoreError,
    nodes::{self, LEASE_MS, NewNode, Node, NodeState},
};
use thiserror::Error;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{boot_time, heartbeat, lease::Lease, this_node::ThisNode};

/// Changes when nodes of two versions cannot work together.
pub const PROTOCOL: i64 = 1;

/// How a server describes itself to the others.
#[derive(Debug, Clone)]
pub struct NodeDescription {
    pub name: String,
    pub public_url: String,
    pub version: String,
}

/// Whether other servers may use the database at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peers {
    /// None: the server has locked the database.
    Excluded,
    Allowed,
}

#[derive(Debug, Error)]
pub enum JoinError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Refused(String),
}

/// This node and what it knows of the others. Cheap to clone; all clones are one node.
#[derive(Clone)]
pub struct Cluster(Arc<ThisNode>);

impl Cluster {
    /// A server on a database of its own: without a heartbeat.
    pub fn alone(store: &Store, description: NodeDescription, started_at: i64) -> Cluster {
        let description = new_node(store, description);
        let this = Node {
            incarnation: description.incarnation.clone(),
            name: description.name.clone(),
            public_url: description.public_url.clone(),
            state: NodeState::Active,
            version: description.version.clone(),
            protocol: PROTOCOL,
            started_at,
            lease_left_ms: LEASE_MS,
        };
        Cluster::new(description, Lease::endless(), vec![this], true)
    }

    /// Joins the nodes of a database and starts the heartbeat.
    pub async fn join(
        store: &Store,
        description: NodeDescription,
        peers: Peers,
    ) -> Result<Cluster, JoinError> {
        let description = new_node(store, description);
        let sent = boot_time::now_ms();
        let node = description.clone();
        let joined = store.write(move |c| {
            nodes::lock_joins(c)?;
            match peers {
                Peers::Excluded => nodes::end_others(c, &node.incarnation)?,
                Peers::Allowed => {
                    let others = nodes::list(c)?;
                    if let Some(reason) = mismatch(&node, &others) {
                        return Ok(Err(reason));
                    }
                }
            }
            nodes::insert(c, &node)?;
            Ok(Ok(nodes::list(c)?))
        });
        let members = joined.await?.map_err(JoinError::Refused)?;
        let lease = match peers {
            Peers::Excluded => Lease::endless(),
            Peers::Allowed => Lease::granted(sent),
        };
        let cluster = Cluster::new(description, lease, members, false);
        tokio::spawn(heartbeat::beat(store.clone(), Arc::clone(&cluster.0)));
        Ok(cluster)
    }

    fn new(description: NewNode, lease: Lease, members: Vec<Node>, is_alone: bool) -> Cluster {
        Cluster(Arc::new(ThisNode {
            description,
            is_alone,
            lease,
            state: Mutex::new(NodeState::Active),
            members: watch::Sender::new(members.into()),
            stop: CancellationToken::new(),
        }))
    }

    #[cfg(feature = "testing")]
    pub(crate) fn with_lease(store: &Store, lease: Lease) -> Cluster {
        let description = NodeDescription {
            name: "test".to_owned(),
            public_url: "http://127.0.0.1".to_owned(),
            version: "0.0.0".to_owned(),
        };
        Cluster::new(new_node(store, description), lease, Vec::new(), true)
    }

    /// The incarnation of this node.
    pub fn incarnation(&self) -> &str {
        &self.0.description.incarnation
    }

    /// Whether no other server can use the database.
    pub fn is_alone(&self) -> bool {
        self.0.is_alone
    }

    pub fn lease(&self) -> &Lease {
        &self.0.lease
    }

    /// The nodes that are known, also some that have ended, as of the last heartbeat.
    pub fn members(&self) -> Arc<[Node]> {
        Arc::clone(&self.0.members.borrow())
    }

    /// The others learn with the next heartbeat that this node takes no more work.
    pub fn drain(&self) {
        *self.0.state.lock() = NodeState::Draining;
    }

    /// Whether this node takes no more work, because it drains or has lost its lease.
    pub fn is_out_of_service(&self) -> bool {
        *self.0.state.lock() != NodeState::Active || !self.0.lease.is_held()
    }

    /// Ends the heartbeat and the lease, so that others take over at once.
    pub async fn leave(&self, store: &Store) -> Result<(), StoreError> {
        if self.0.is_alone {
            return Ok(());
        }
        self.0.stop.cancel();
        let incarnation = self.0.description.incarnation.clone();
        // After a renewal that is in progress.
        store
            .heartbeat(move |c| nodes::leave(c, &incarnation))
            .await
    }
}

fn new_node(store: &Store, description: NodeDescription) -> NewNode {
    let NodeDescription {
        name,
        public_url,
        version,
    } = description;
    NewNode {
        incarnation: store.incarnation().to_string(),
        name,
        public_url,
        version,
        protocol: PROTOCOL,
    }
}

/// Why a node cannot work together with those that are alive.
fn mismatch(node: &NewNode, others: &[Node]) -> Option<String> {
    let mut alive = others.iter().filter(|other| other.is_alive());
    alive.find_map(|other| {
        let name = &other.name;
        if other.public_url != node.public_url {
            return Some(format!(
                "the node {name} has the public address {}, this one {}: set the same \
                 --public-url for all",
                other.public_url, node.public_url
            ));
        }
        (other.protocol != node.protocol).then(|| {
            format!(
                "the node {name} runs version {}, which cannot work together with this version \
                 ({})",
                other.version, node.version
            )
        })
    })
}
