//! The part of an account that its map shows: connected nodes first, then the busiest.

use std::{cmp::Reverse, collections::HashSet};

use sluice_model::{SubscriptionId, UserId};
use sluice_store::{
    flow::Party,
    routes::{ALL_SOURCES, ALL_WORKFLOWS},
};

use crate::webhooks::WebhookHealth;

/// Which part of the map to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowQuery {
    /// Part of a name or a slug. Matching nodes are shown with their neighbours.
    pub text: Option<String>,
    pub most_nodes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Source,
    Workflow,
    Webhook,
    /// All emitters that a glob matches.
    Every,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub kind: Kind,
    pub party: Party,
    /// In the last 24 hours.
    pub events: u64,
    /// Likewise. For webhooks, failed deliveries.
    pub errors: u64,
    /// Unfinished deliveries.
    pub waiting: u64,
    /// Of a webhook.
    pub health: Option<WebhookHealth>,
    /// Of a source: the slug of the app of its component.
    pub app: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub subscription_id: SubscriptionId,
    pub from: String,
    pub to: String,
    pub event_name: String,
    /// Whether it starts at a glob.
    pub is_glob: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Number of nodes beyond the limit.
    pub hidden: usize,
}

pub(super) fn draw(mut nodes: Vec<Node>, mut edges: Vec<Edge>, query: &FlowQuery) -> Flow {
    nodes.extend(globs(&edges));
    keep_edges(&mut edges, &nodes);
    let matching = query.text.as_deref().map(|text| matching(&nodes, text));
    if let Some(matching) = &matching {
        let wanted = with_neighbours(matching, &edges);
        nodes.retain(|node| wanted.contains(&node.party.id));
        keep_edges(&mut edges, &nodes);
    }
    let connected: HashSet<&str> = edges
        .iter()
        .flat_map(|edge| [edge.from.as_str(), edge.to.as_str()])
        .collect();
    nodes.sort_by_cached_key(|node| {
        let id = node.party.id.as_str();
        let matches = matching.as_ref().is_none_or(|found| found.contains(id));
        let busy = node.events + node.errors + node.waiting;
        let ranks = (matches, connected.contains(id), busy);
        (Reverse(ranks), node.party.name.clone(), id.to_owned())
    });
    let hidden = nodes.len().saturating_sub(query.most_nodes);
    nodes.truncate(query.most_nodes);
    keep_edges(&mut edges, &nodes);
    Flow {
        nodes,
        edges,
        hidden,
    }
}

/// One node for each glob with a listener.
fn globs(edges: &[Edge]) -> impl Iterator<Item = Node> {
    let globs: HashSet<&str> = edges
        .iter()
        .filter(|edge| edge.is_glob)
        .map(|edge| edge.from.as_str())
        .collect();
    globs.into_iter().map(|glob| Node {
        kind: Kind::Every,
        party: Party {
            id: glob.to_owned(),
            name: match glob {
                ALL_SOURCES => "Every source",
                ALL_WORKFLOWS => "Every workflow",
                account if account.starts_with(UserId::PREFIX) => "Every source and workflow",
                _ => "Every new source and workflow",
            }
            .to_owned(),
            name_slug: None,
            active: true,
            component_id: None,
        },
        events: 0,
        errors: 0,
        waiting: 0,
        health: None,
        app: None,
    })
}

/// Drops edges without both of their ends.
fn keep_edges(edges: &mut Vec<Edge>, nodes: &[Node]) {
    let ids: HashSet<&str> = nodes.iter().map(|node| node.party.id.as_str()).collect();
    edges.retain(|edge| ids.contains(edge.from.as_str()) && ids.contains(edge.to.as_str()));
}

/// Ids of the nodes that match, ignoring the case of ASCII letters.
fn matching(nodes: &[Node], text: &str) -> HashSet<String> {
    let text = text.to_ascii_lowercase();
    let matches = |name: &str| name.to_ascii_lowercase().contains(&text);
    nodes
        .iter()
        .filter(|node| {
            let slug = node.party.name_slug.as_deref();
            matches(&node.party.name) || slug.is_some_and(matches)
        })
        .map(|node| node.party.id.clone())
        .collect()
}

fn with_neighbours(matching: &HashSet<String>, edges: &[Edge]) -> HashSet<String> {
    let mut wanted = matching.clone();
    for Edge { from, to, .. } in edges {
        if matching.contains(from) || matching.contains(to) {
            wanted.extend([from.clone(), to.clone()]);
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str, events: u64) -> Node {
        let kind = match id.split_once('_').map(|(prefix, _)| prefix) {
            Some("wh") => Kind::Webhook,
            Some("p") => Kind::Workflow,
            _ => Kind::Source,
        };
        Node {
            kind,
            party: Party {
                id: id.to_owned(),
                name: format!("Name of {id}"),
                name_slug: (kind != Kind::Webhook).then(|| format!("slug-{id}")),
                active: true,
                component_id: None,
            },
            events,
            errors: 0,
            waiting: 0,
            health: None,
            app: None,
        }
    }

    fn edge(from: &str, to: &str) -> Edge {
        Edge {
            subscription_id: SubscriptionId::parse("sub_a").unwrap(),
            from: from.to_owned(),
            to: to.to_owned(),
            event_name: String::new(),
            is_glob: from.ends_with('*'),
        }
    }

    fn drawn(text: Option<&str>, most_nodes: usize) -> (Vec<String>, Vec<String>, usize) {
        let nodes = vec![
            node("dc_alone", 100),
            node("dc_quiet", 0),
            node("dc_a", 1),
            node("dc_b", 5),
            node("p_c", 2),
            node("wh_d", 0),
        ];
        let edges = vec![
            edge("dc_a", "dc_b"),
            edge("dc_b", "wh_d"),
            edge("dc_*", "p_c"),
            edge("dc_gone", "wh_d"),
        ];
        let query = FlowQuery {
            text: text.map(str::to_owned),
            most_nodes,
        };
        let Flow {
            nodes,
            edges,
            hidden,
        } = draw(nodes, edges, &query);
        let ids = nodes.iter().map(|node| node.party.id.clone()).collect();
        let edges = edges
            .iter()
            .map(|edge| format!("{} {}", edge.from, edge.to));
        (ids, edges.collect(), hidden)
    }

    #[test]
    fn connected_nodes_come_first_and_then_the_busiest() {
        let (ids, edges, hidden) = drawn(None, 100);
        let connected = ["dc_b", "p_c", "dc_a", "dc_*", "wh_d"];
        assert_eq!(ids[..5], connected);
        assert_eq!(ids[5..], ["dc_alone", "dc_quiet"]);
        assert_eq!(edges, ["dc_a dc_b", "dc_b wh_d", "dc_* p_c"]);
        assert_eq!(hidden, 0);
    }

    #[test]
    fn hidden_nodes_are_counted_and_edges_have_both_ends() {
        let (ids, edges, hidden) = drawn(None, 3);
        assert_eq!(ids, ["dc_b", "p_c", "dc_a"]);
        assert_eq!(edges, ["dc_a dc_b"]);
        assert_eq!(hidden, 4);
    }

    #[test]
    fn matching_nodes_are_shown_with_their_direct_neighbours() {
        let (mut ids, edges, hidden) = drawn(Some("SLUG-dc_A"), 100);
        ids.sort();
        assert_eq!(ids, ["dc_a", "dc_alone", "dc_b"]);
        assert_eq!(edges, ["dc_a dc_b"]);
        assert_eq!(hidden, 0);
        // Matching nodes go before their neighbours.
        assert_eq!(drawn(Some("dc_a"), 1).0, ["dc_a"]);
        assert_eq!(drawn(Some("of wh_"), 100).0, ["wh_d", "dc_b"]);
        assert_eq!(drawn(Some("every source"), 100).0, ["dc_*", "p_c"]);
        assert!(drawn(Some("nobody"), 100).0.is_empty());
    }
}
