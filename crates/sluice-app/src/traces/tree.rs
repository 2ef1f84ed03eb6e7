//! The tree below the root of a trace, level by level, up to a number of nodes.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{
    node::{Trace, TraceNode},
    spot::Spot,
};

/// A tree that grows. The place of a node is its index.
pub(super) struct Tree {
    limit: usize,
    nodes: Vec<(Option<usize>, TraceNode)>,
    waiting: VecDeque<(Option<usize>, Spot)>,
    seen: HashSet<Spot>,
    /// On the way from the root to the asked id, the next spot of each. It may be missing among the effects that are found.
    next: HashMap<Spot, Spot>,
    /// The spots on this way.
    on_way: HashSet<Spot>,
    is_cut: bool,
}

impl Tree {
    pub(super) fn new(limit: usize) -> Tree {
        Tree {
            limit,
            nodes: Vec::new(),
            waiting: VecDeque::new(),
            seen: HashSet::new(),
            next: HashMap::new(),
            on_way: HashSet::new(),
            is_cut: false,
        }
    }

    /// Has the way to the asked id be part of the tree: its spots are visited before others.
    pub(super) fn include(&mut self, way: &[Spot]) {
        self.on_way.extend(way.iter().cloned());
        for pair in way.windows(2) {
            self.next.insert(pair[0].clone(), pair[1].clone());
        }
    }

    /// Adds a node. None when there is no room.
    pub(super) fn add(&mut self, parent: Option<usize>, node: TraceNode) -> Option<usize> {
        if self.nodes.len() >= self.limit {
            self.cut(parent);
            return None;
        }
        self.nodes.push((parent, node));
        Some(self.nodes.len() - 1)
    }

    /// Effects are missing below a node.
    pub(super) fn cut(&mut self, parent: Option<usize>) {
        self.is_cut = true;
        if let Some((_, node)) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            node.is_cut = true;
        }
    }

    /// Has a spot visited later, once.
    pub(super) fn visit_later(&mut self, parent: Option<usize>, spot: Spot) {
        if !self.seen.insert(spot.clone()) {
            return;
        }
        if self.on_way.contains(&spot) {
            self.waiting.push_front((parent, spot));
        } else {
            self.waiting.push_back((parent, spot));
        }
    }

    /// Whether there is room for more than the spots that wait.
    pub(super) fn has_room(&self) -> bool {
        self.nodes.len() + self.waiting.len() < self.limit
    }

    /// The next spot to visit, with the index of its parent. To be asked for again after each visit. When the tree is full, the
    /// spots that wait are cut.
    pub(super) fn next(&mut self) -> Option<(Option<usize>, Spot)> {
        if self.nodes.len() < self.limit {
            return self.waiting.pop_front();
        }
        while let Some((parent, _)) = self.waiting.pop_front() {
            self.cut(parent);
        }
        None
    }

    /// Ends the visit of a spot whose node is at this index.
    pub(super) fn visited(&mut self, spot: &Spot, at: usize) {
        if let Some(next) = self.next.get(spot).cloned() {
            self.visit_later(Some(at), next);
        }
    }

    pub(super) fn into_trace(self, selected: Option<String>) -> Trace {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (index, (parent, _)) in self.nodes.iter().enumerate() {
            match parent {
                Some(parent) => children[*parent].push(index),
                None => roots.push(index),
            }
        }
        let start = |index: &usize| self.nodes[*index].1.started_at;
        for siblings in children.iter_mut().chain([&mut roots]) {
            siblings.sort_by_key(start);
        }
        let mut nodes: Vec<TraceNode> = Vec::with_capacity(self.nodes.len());
        let mut left: Vec<(usize, u32)> = roots.into_iter().rev().map(|root| (root, 0)).collect();
        while let Some((index, depth)) = left.pop() {
            let (parent, node) = &self.nodes[index];
            nodes.push(TraceNode {
                parent: parent.map(|parent| self.nodes[parent].1.key.clone()),
                depth,
                ..node.clone()
            });
            let below = children[index].iter().rev();
            left.extend(below.map(|child| (*child, depth + 1)));
        }
        Trace {
            nodes,
            selected,
            is_cut: self.is_cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::EventAddress;

    use super::*;
    use crate::traces::node::TraceKind;

    fn node(key: &str, started_at: i64) -> TraceNode {
        TraceNode {
            started_at,
            ..TraceNode::new(
                TraceKind::Event,
                key.to_owned(),
                key.to_owned(),
                String::new(),
            )
        }
    }

    #[test]
    fn parents_come_before_children_and_siblings_by_their_start() {
        let mut tree = Tree::new(10);
        let root = tree.add(None, node("root", 1));
        let late = tree.add(root, node("late", 9));
        tree.add(root, node("early", 5));
        tree.add(late, node("below", 10));
        let trace = tree.into_trace(None);
        let shown: Vec<(&str, u32)> = trace
            .nodes
            .iter()
            .map(|node| (node.key.as_str(), node.depth))
            .collect();
        assert_eq!(
            shown,
            [("root", 0), ("early", 1), ("late", 1), ("below", 2)]
        );
        assert_eq!(trace.nodes[3].parent.as_deref(), Some("late"));
        assert!(!trace.is_cut);
    }

    fn event(ms: i64) -> Spot {
        let address = EventAddress::parse(&format!("dc_s/{ms}-0"));
        Spot::Event(address.expect("an address"))
    }

    #[test]
    fn spots_that_wait_for_a_full_tree_are_cut_without_a_visit() {
        let mut tree = Tree::new(2);
        let root = tree.add(None, node("root", 1));
        tree.visit_later(root, event(1));
        assert!(!tree.has_room());
        tree.visit_later(root, event(2));
        let (parent, _) = tree.next().expect("a spot");
        let only = tree.add(parent, node("only", 2));
        tree.visit_later(only, event(3));
        assert_eq!(tree.next(), None);
        let trace = tree.into_trace(None);
        let cut: Vec<bool> = trace.nodes.iter().map(|node| node.is_cut).collect();
        assert_eq!(cut, [true, true]);
    }

    #[test]
    fn the_way_to_the_asked_id_is_visited_first() {
        let mut tree = Tree::new(2);
        tree.include(&[event(0), event(8), event(9)]);
        for ms in [1, 2, 8, 3] {
            tree.visit_later(None, event(ms));
        }
        let (_, first) = tree.next().expect("a spot");
        assert_eq!(first, event(8));
        let at = tree.add(None, node("eight", 8)).expect("room");
        tree.visited(&first, at);
        assert_eq!(tree.next(), Some((Some(at), event(9))));
    }

    #[test]
    fn a_full_tree_says_where_it_is_cut() {
        let mut tree = Tree::new(1);
        let root = tree.add(None, node("root", 1));
        assert_eq!(tree.add(root, node("more", 2)), None);
        let trace = tree.into_trace(None);
        assert!(trace.is_cut && trace.nodes[0].is_cut);
        assert_eq!(trace.nodes.len(), 1);
    }
}
