//! Metrics of this node and of those that share its database.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{family::Family, gauge::Gauge, info::Info},
    registry::Registry,
};
use sluice_cluster::{Cluster, NodeStatus};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NodeLabels {
    node: String,
    version: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

#[derive(Default)]
pub struct ClusterMetrics {
    nodes: Family<StateLabel, Gauge>,
    lease_held: Gauge,
}

impl ClusterMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "cluster_nodes",
            "Servers of the database, by state, as of the last heartbeat of this one",
            self.nodes.clone(),
        );
        registry.register(
            "cluster_lease_held",
            "1 while this server holds its lease",
            self.lease_held.clone(),
        );
    }

    /// Reads the current state of the cluster.
    pub fn update(&self, cluster: &Cluster) {
        let members = cluster.members();
        let statuses = members.iter().map(|node| cluster.status_of(node));
        let statuses: Vec<NodeStatus> = statuses.collect();
        self.count(&statuses);
        self.lease_held.set(i64::from(cluster.lease().is_held()));
    }

    fn count(&self, statuses: &[NodeStatus]) {
        for status in NodeStatus::ALL {
            let found = statuses.iter().filter(|other| **other == status).count();
            let state = status.as_str();
            let gauge = self.nodes.get_or_create(&StateLabel { state });
            gauge.set(i64::try_from(found).unwrap_or(i64::MAX));
        }
    }
}

/// Adds the name and the version of this node as labels of a metric that is always 1.
pub(crate) fn register_node(registry: &mut Registry, cluster: &Cluster) {
    let members = cluster.members();
    if let Some(node) = members.iter().find(|node| cluster.is_this(node)) {
        let labels = NodeLabels {
            node: node.name.clone(),
            version: node.version.clone(),
        };
        registry.register("node", "Name and version of this server", Info::new(labels));
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn nodes_are_counted_by_state() {
        let metrics = ClusterMetrics::default();
        let mut registry = Registry::with_prefix("sluice");
        metrics.register(&mut registry);
        let lines = |statuses: &[NodeStatus]| {
            metrics.count(statuses);
            let mut text = String::new();
            encode(&mut text, &registry).unwrap();
            let mut lines: Vec<String> = text
                .lines()
                .filter_map(|line| line.strip_prefix("sluice_cluster_nodes{state="))
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines
        };
        let (active, lost) = (NodeStatus::Active, NodeStatus::Lost);
        assert_eq!(
            lines(&[active, lost, active]),
            [
                "\"active\"} 2",
                "\"draining\"} 0",
                "\"lost\"} 1",
                "\"stopped\"} 0"
            ]
        );
        assert_eq!(lines(&[active])[2], "\"lost\"} 0");
    }
}
