//! Nodes differ only in their names. Of states that differ only in these, the checker explores one.

use stateright::Representative;

use crate::{
    cluster::Cluster,
    id::{Incarnation, NodeId},
    message::Message,
    node::Node,
};

impl Representative for Cluster {
    fn representative(&self) -> Cluster {
        let names = self.canonical_names();
        let rename = |incarnation: &mut Incarnation| {
            incarnation.node = names[incarnation.node.index()];
        };
        let mut renamed = self.clone();
        for node in &mut renamed.nodes {
            rename(&mut node.incarnation);
        }
        renamed.nodes.sort_unstable_by_key(Node::id);
        renamed.store.row.owner.iter_mut().for_each(rename);
        renamed.store.expired = expired(self, rename).collect();
        for message in &mut renamed.network {
            rename(message.sender_mut());
        }
        renamed.network.sort_unstable();
        renamed
    }
}

fn expired(
    cluster: &Cluster,
    rename: impl Fn(&mut Incarnation),
) -> impl Iterator<Item = Incarnation> {
    let expired = cluster.store.expired.iter().copied();
    expired.map(move |mut incarnation| {
        rename(&mut incarnation);
        incarnation
    })
}

impl Cluster {
    /// The new name of each node, in the order of everything else that is known of it.
    fn canonical_names(&self) -> Vec<NodeId> {
        let mut nodes: Vec<&Node> = self.nodes.iter().collect();
        nodes.sort_by_cached_key(|node| self.description(node));
        let mut names = vec![NodeId(0); nodes.len()];
        for (name, node) in (0..).map(NodeId).zip(nodes) {
            names[node.id().index()] = name;
        }
        names
    }

    /// Everything that is known of a node but its name.
    fn description<'a>(&self, node: &'a Node) -> impl Ord + use<'a> {
        let start = |incarnation: &Incarnation| {
            let is_of_node = incarnation.node == node.id();
            is_of_node.then_some(incarnation.start)
        };
        let owner = self.store.row.owner.as_ref().and_then(start);
        let expired: Vec<u8> = self.store.expired.iter().filter_map(start).collect();
        let messages = self.network.iter();
        let messages = messages.filter(|message| message.sender().node == node.id());
        let messages: Vec<Message> = messages.copied().map(without_name).collect();
        let starts = (node.incarnation.start, owner, expired);
        (&node.role, node.is_up, starts, messages)
    }
}

fn without_name(mut message: Message) -> Message {
    message.sender_mut().node = NodeId(0);
    message
}
