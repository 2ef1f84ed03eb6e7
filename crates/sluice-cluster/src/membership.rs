//! Joining and leaving, and the list of nodes.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use parking_lot::Mutex;
use reqwest::Body;
use sluice_store::{
    Store, StoreError,
    nodes::{self, LEASE_MS, NewNode, Node, NodeState},
};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    boot_time,
    clock::DatabaseTime,
    heartbeat,
    hint::Hint,
    lease::Lease,
    links::{LinkError, Links},
    members::{Members, is_anyone_alone},
    placement,
    this_node::{Received, ThisNode},
};

/// Changes when nodes of two versions cannot work together.
pub const PROTOCOL: i64 = 1;

/// How a server describes itself to the others.
#[derive(Debug, Clone)]
pub struct NodeDescription {
    pub name: String,
    /// Where others reach it, as host and port.
    pub address: Option<String>,
    pub public_url: String,
    pub version: String,
}

/// How a server joins others.
pub struct Joining {
    pub description: NodeDescription,
    /// The token of the links, which all nodes derive from the data key of their database.
    pub token: String,
    /// An earlier start of this server, which is known to have ended: its lease ends at once.
    pub predecessor: Option<String>,
}

#[derive(Debug, Error)]
pub enum JoinError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Refused(String),
    #[error("cannot prepare the links to other nodes: {0}")]
    Links(reqwest::Error),
}

/// Whether a node that a test controls shares its database with others.
#[cfg(feature = "testing")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shares {
    Nothing,
    Database,
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
            address: None,
            public_url: description.public_url.clone(),
            state: NodeState::Active,
            version: description.version.clone(),
            protocol: PROTOCOL,
            alone: true,
            started_at,
            lease_left_ms: LEASE_MS,
        };
        let members = Arc::new(Members::new(vec![this]));
        Cluster::new(description, Lease::endless(), members, None, None)
    }

    /// Joins the nodes of a database and starts the heartbeat. Returns when no other node works as the only one any more.
    pub async fn join(store: &Store, joining: Joining) -> Result<Cluster, JoinError> {
        let Joining {
            description,
            token,
            predecessor,
        } = joining;
        let description = new_node(store, description);
        let members = Arc::new(Members::new(Vec::new()));
        let links = Links::new(token, &description.incarnation, &members);
        let links = links.map_err(JoinError::Links)?;
        let time = DatabaseTime::read(store).await?;
        let sent = boot_time::now_ms();
        let node = description.clone();
        let joined = store.write(move |c| {
            nodes::lock_joins(c)?;
            if let Some(predecessor) = &predecessor {
                nodes::leave(c, predecessor)?;
            }
            let others = nodes::list(c)?;
            if let Some(reason) = mismatch(&node, &others) {
                return Ok(Err(reason));
            }
            nodes::join(c, &node, false)?;
            Ok(Ok((
                nodes::become_alone(c, &node.incarnation)?,
                nodes::list(c)?,
            )))
        });
        let (alone, nodes) = joined.await?.map_err(JoinError::Refused)?;
        let joined_at = boot_time::now_ms();
        let lease = if is_anyone_alone(&nodes, &description.incarnation, joined_at) {
            Lease::not_granted()
        } else {
            Lease::granted(sent)
        };
        members.set(nodes);
        let cluster = Cluster::new(description, lease, members, Some(links), Some(time));
        cluster.0.alone.store(alone, Ordering::Release);
        cluster.0.joined_at.store(joined_at, Ordering::Relaxed);
        tokio::spawn(heartbeat::beat(store.clone(), Arc::clone(&cluster.0)));
        let mut granted = cluster.0.lease.changes();
        // The sender lives as long as the cluster.
        let _ = granted.wait_for(|held| *held).await;
        Ok(cluster)
    }

    fn new(
        description: NewNode,
        lease: Lease,
        members: Arc<Members>,
        links: Option<Links>,
        time: Option<DatabaseTime>,
    ) -> Cluster {
        let (received, inbound) = mpsc::unbounded_channel();
        Cluster(Arc::new(ThisNode {
            description,
            owns_database: links.is_none(),
            alone: AtomicBool::new(links.is_none()),
            joined_at: AtomicI64::new(boot_time::now_ms()),
            lease,
            state: Mutex::new(NodeState::Active),
            time: time.map(Arc::new),
            members,
            links: links.map(Arc::new),
            received,
            inbound: Mutex::new(Some(inbound)),
            deaths: watch::Sender::new(0),
            before_alone: OnceLock::new(),
            stop: CancellationToken::new(),
        }))
    }

    #[cfg(feature = "testing")]
    pub(crate) fn with_lease(incarnation: &str, lease: Lease, shares: Shares) -> Cluster {
        let description = NewNode {
            incarnation: incarnation.to_owned(),
            name: "test".to_owned(),
            address: None,
            public_url: "http://127.0.0.1".to_owned(),
            version: "0.0.0".to_owned(),
            protocol: PROTOCOL,
        };
        Cluster::without_heartbeat(description, lease, shares)
    }

    /// A node that a test controls.
    #[cfg(feature = "testing")]
    pub(crate) fn without_heartbeat(description: NewNode, lease: Lease, shares: Shares) -> Cluster {
        let members = Arc::new(Members::new(Vec::new()));
        let links = match shares {
            Shares::Nothing => None,
            Shares::Database => {
                let links = Links::new("a token".to_owned(), &description.incarnation, &members);
                Some(links.expect("a client can be built"))
            }
        };
        Cluster::new(description, lease, members, links, None)
    }

    /// Sets the nodes that a heartbeat would have found.
    #[cfg(feature = "testing")]
    pub(crate) fn set_members(&self, members: Vec<Node>) {
        self.0.members.set(members);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn set_alone(&self) {
        self.0.alone.store(true, Ordering::Release);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn describe(&self, state: NodeState) -> Node {
        let node = &self.0.description;
        Node {
            incarnation: node.incarnation.clone(),
            name: node.name.clone(),
            address: node.address.clone(),
            public_url: node.public_url.clone(),
            state,
            version: node.version.clone(),
            protocol: node.protocol,
            alone: false,
            started_at: 0,
            lease_left_ms: LEASE_MS,
        }
    }

    /// The incarnation of this node.
    pub fn incarnation(&self) -> &str {
        &self.0.description.incarnation
    }

    /// Whether no other server can use the database, now or later.
    pub fn owns_database(&self) -> bool {
        self.0.owns_database
    }

    /// Whether no other node takes requests now. One that joins waits until this node knows of it.
    pub fn is_alone(&self) -> bool {
        self.0.alone.load(Ordering::Acquire) && (self.0.owns_database || self.0.lease.is_held())
    }

    /// Has `call` called each time before this node works as the only one again: others may have stored work of which it does not
    /// know. Only the first call counts.
    pub fn before_alone(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.before_alone.set(Box::new(call));
    }

    pub fn lease(&self) -> &Lease {
        &self.0.lease
    }

    /// The nodes that are known, also some that have ended, as of the last heartbeat.
    pub fn members(&self) -> Arc<[Node]> {
        self.0.members.all()
    }

    /// Changes when another node was found dead, and nothing of it holds a lock in the database any more.
    pub fn deaths(&self) -> watch::Receiver<u64> {
        self.0.deaths.subscribe()
    }

    /// Whether a node is this one, or another one that is alive.
    pub fn is_alive(&self, node: &str) -> bool {
        node == self.incarnation() || self.0.members.is_alive(node)
    }

    /// The incarnation of the node that should own `id`.
    pub fn preferred(&self, id: &str) -> String {
        if self.0.owns_database {
            return self.incarnation().to_owned();
        }
        let members = self.members();
        let node = placement::preferred(&members, id);
        node.map_or(self.incarnation(), |node| &node.incarnation)
            .to_owned()
    }

    /// Whether this node does a periodic job that one node does for all. For a moment two nodes may do it, or none.
    pub fn does_job(&self, job: &str) -> bool {
        self.0.lease.is_held() && self.preferred(job) == self.incarnation()
    }

    /// Tells another node something. Nothing happens when it cannot be reached.
    pub fn hint(&self, node: &str, hint: Hint) {
        if let Some(links) = &self.0.links
            && node != self.incarnation()
        {
            links.hint(node, hint);
        }
    }

    /// Tells all other nodes something.
    pub fn hint_all(&self, hint: &Hint) {
        for node in self.members().iter().filter(|node| node.is_alive()) {
            self.hint(&node.incarnation, hint.clone());
        }
    }

    /// Sends a message to another node and waits until it has it.
    pub async fn post(&self, node: &str, path: &str, body: Body) -> Result<(), LinkError> {
        let links = self.0.links.as_ref().ok_or(LinkError::Unreachable)?;
        links.post(node, path, body).await
    }

    /// The client for requests to other nodes; `None` on a database of its own.
    pub fn client(&self) -> Option<&reqwest::Client> {
        self.0.links.as_ref().map(|links| links.client())
    }

    /// The token that messages of nodes carry.
    pub fn token(&self) -> Option<&str> {
        self.0.links.as_ref().map(|links| links.token.as_str())
    }

    /// The time of the database, which nodes that share one have; `None` on a database of its own.
    pub fn database_time(&self) -> Option<Arc<DatabaseTime>> {
        self.0.time.clone()
    }

    /// Where another node that is alive listens.
    pub fn address_of(&self, node: &str) -> Option<String> {
        self.0.members.address_of(node)
    }

    /// Takes hints of another node.
    pub fn receive(&self, from: &str, hints: Vec<Hint>) {
        for hint in hints {
            let from = from.to_owned();
            let _ = self.0.received.send(Received { from, hint });
        }
    }

    /// The hints of other nodes. Can be taken once.
    pub fn take_inbound(&self) -> Option<mpsc::UnboundedReceiver<Received>> {
        self.0.inbound.lock().take()
    }

    /// The others learn with the next heartbeat that this node takes no more work.
    pub fn drain(&self) {
        *self.0.state.lock() = NodeState::Draining;
    }

    pub fn is_draining(&self) -> bool {
        self.state() != NodeState::Active
    }

    /// Whether this node takes no more work, because it drains or has lost its lease.
    pub fn is_out_of_service(&self) -> bool {
        self.is_draining() || !self.0.lease.is_held()
    }

    pub(crate) fn state(&self) -> NodeState {
        *self.0.state.lock()
    }

    /// Ends the heartbeat and the lease, so that others take over at once.
    pub async fn leave(&self, store: &Store) -> Result<(), StoreError> {
        if self.0.owns_database {
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
        address,
        public_url,
        version,
    } = description;
    NewNode {
        incarnation: store.incarnation().to_string(),
        name,
        address,
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
