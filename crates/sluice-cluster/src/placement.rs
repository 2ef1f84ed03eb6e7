//! Which node should own what: rendezvous hashing. Each node gets a score for an id, and the highest wins, so a node that joins or
//! leaves moves only its own share.

use std::hash::{DefaultHasher, Hash, Hasher};

use sluice_store::nodes::{Node, NodeState};

/// The node that should own `id`, of those that take work.
pub(crate) fn preferred<'a>(nodes: &'a [Node], id: &str) -> Option<&'a Node> {
    let takers = nodes
        .iter()
        .filter(|node| node.is_alive() && node.state == NodeState::Active);
    takers.max_by_key(|node| score(&node.incarnation, id))
}

/// All nodes run the same program, so the hash is the same everywhere. Where versions differ, an emitter may move once more.
fn score(node: &str, id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (node, id).hash(&mut hasher);
    hasher.finish()
}
