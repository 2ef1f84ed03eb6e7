//! The state of the model.

use crate::{
    bounds::Bounds,
    id::{Incarnation, NodeId, RequestId, RequestSet},
    message::{Claim, Commit, Message},
    node::{Node, Owner, Role},
    request::{Phase, Request},
    rule::{Rule, Rules},
    store::{Outcome, Store},
};

/// The store, the nodes, the network between them, and the client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster {
    pub(crate) store: Store,
    pub(crate) nodes: Vec<Node>,
    /// Messages on their way to the store, sorted. A message may be there twice.
    pub(crate) network: Vec<Message>,
    pub(crate) requests: Vec<Request>,
    /// The number of faults that may still happen.
    pub(crate) faults: u8,
}

impl Cluster {
    /// All nodes run and have a lease.
    pub(crate) fn without_owner(bounds: Bounds) -> Cluster {
        Cluster {
            store: Store::default(),
            nodes: (0..bounds.nodes).map(|id| Node::new(NodeId(id))).collect(),
            network: Vec::new(),
            requests: vec![Request::unsent(); usize::from(bounds.requests)],
            faults: bounds.faults,
        }
    }

    /// As [`Cluster::without_owner`], and a node owns the emitter.
    pub(crate) fn with_owner(bounds: Bounds, rules: Rules) -> Cluster {
        let mut cluster = Cluster::without_owner(bounds);
        let node = &mut cluster.nodes[0];
        if let Some(epoch) = cluster.store.claim(node.incarnation, rules) {
            node.role = Role::Owner(Owner::new(epoch, cluster.store.read(), rules));
        }
        cluster
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_up)
    }

    /// Whether an incarnation runs, even if it is paused.
    pub(crate) fn runs(&self, incarnation: Incarnation) -> bool {
        let node = self.node(incarnation.node);
        node.is_up && node.incarnation == incarnation
    }

    pub(crate) fn request(&self, id: RequestId) -> &Request {
        &self.requests[id.index()]
    }

    pub(crate) fn request_mut(&mut self, id: RequestId) -> &mut Request {
        &mut self.requests[id.index()]
    }

    pub(crate) fn request_ids(&self) -> impl Iterator<Item = RequestId> + use<> {
        (0..).map(RequestId).take(self.requests.len())
    }

    pub(crate) fn acknowledged(&self) -> RequestSet {
        let mut acknowledged = RequestSet::default();
        for id in self.request_ids() {
            if self.request(id).phase == Phase::Acknowledged {
                acknowledged.insert(id);
            }
        }
        acknowledged
    }

    pub(crate) fn claims(&self) -> impl Iterator<Item = Claim> {
        self.network.iter().copied().filter_map(Message::as_claim)
    }

    pub(crate) fn commits(&self) -> impl Iterator<Item = Commit> {
        self.network.iter().copied().filter_map(Message::as_commit)
    }

    pub(crate) fn send(&mut self, message: Message) {
        let place = self.network.partition_point(|other| *other < message);
        self.network.insert(place, message);
    }

    pub(crate) fn take(&mut self, message: Message) {
        if let Ok(place) = self.network.binary_search(&message) {
            self.network.remove(place);
        }
    }

    /// Whether a claim depends on the lease of an incarnation, now or when it arrives.
    pub(crate) fn is_observed(&self, incarnation: Incarnation) -> bool {
        self.store.row.owner == Some(incarnation)
            || self.claims().any(|claim| claim.by == incarnation)
    }

    /// Removes everything that can have no effect any more, so that states that differ in nothing else are one.
    pub(crate) fn tidy(&mut self, rules: Rules) {
        let mut expired = std::mem::take(&mut self.store.expired);
        expired.retain(|&incarnation| self.is_observed(incarnation));
        self.store.expired = expired;

        let mut network = std::mem::take(&mut self.network);
        network.retain(|&message| !self.is_void(message, rules));
        self.network = network;
    }

    /// Whether a message is a commit that remains fenced, because epochs never fall, and whose reply has no reader.
    fn is_void(&self, message: Message, rules: Rules) -> bool {
        message.as_commit().is_some_and(|commit| {
            rules.include(Rule::CommitNamesEpoch)
                && commit.fence.epoch < self.store.row.epoch
                && self.store.outcome(commit, rules) == Outcome::Fenced
                && !self.expects_reply(commit)
        })
    }

    /// Whether the owner that sent a commit waits for the reply. It ignores late replies to earlier commits.
    pub(crate) fn expects_reply(&self, commit: Commit) -> bool {
        let sender = commit.fence.owner;
        let owner = self.node(sender.node).owner();
        self.runs(sender)
            && owner.is_some_and(|owner| {
                owner.epoch == commit.fence.epoch
                    && owner.committing.is_some()
                    && owner.commit_no + 1 == commit.number
            })
    }
}
