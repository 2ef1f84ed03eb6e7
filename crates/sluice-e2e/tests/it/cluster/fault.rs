//! Faults of a node, and how long its sources stood still.

use std::{collections::HashMap, time::Duration};

use sluice_testkit::{now_ms, wait_for};
use tokio::time::sleep;

use super::{history::sent_at, scale::by_scale, stage::Stage};
use crate::{
    ledger::{Ledger, StoredEvent},
    support::{Deployed, PATIENCE},
};

/// Longer than a lease.
fn outage() -> Duration {
    by_scale(Duration::from_secs(4), Duration::from_secs(10))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// SIGKILL. The node starts again when others have taken over.
    Kill,
    /// SIGSTOP for some seconds.
    Stop,
    /// No packet passes between the node and the database or other nodes, for some seconds. Then those in transit arrive.
    Partition,
}

/// A fault that happened. Times are in milliseconds.
#[derive(Debug)]
pub(super) struct Incident {
    pub(super) node: usize,
    begun_at: i64,
    /// The node does nothing more from here on.
    in_force_at: i64,
    /// The sources that the node owned.
    sources: Vec<String>,
}

impl Incident {
    /// The database is back from now on.
    pub(super) fn database_is_back(sources: &[Deployed]) -> Incident {
        let now = now_ms();
        Incident {
            node: 0,
            begun_at: now,
            in_force_at: now,
            sources: sources.iter().map(|source| source.id.clone()).collect(),
        }
    }
}

impl Stage {
    /// A node that owns sources: the one whose turn it is, or else any.
    pub(super) async fn victim(&self, turn: usize) -> usize {
        wait_for(PATIENCE, "a node to own a source", async || {
            let owned = self.observer.ownership().await;
            let nodes = self.cluster.nodes();
            let owns = |index: &usize| {
                let name = nodes[*index].name();
                owned.iter().any(|owned| owned.node == name)
            };
            let from_turn = (0..nodes.len()).map(|offset| (turn + offset) % nodes.len());
            from_turn.into_iter().find(owns)
        })
        .await
    }

    /// Lets a node fail. Returns when all is well again: its sources commit, and all nodes are in service.
    pub(super) async fn suffer(&mut self, fault: Fault, node: usize) -> Incident {
        let incident = self.begin(fault, node).await;
        let before = self.commit_numbers(&incident.sources).await;
        match fault {
            Fault::Kill => {
                self.goes_on(&before).await;
                self.node_mut(node).restart().await;
            }
            Fault::Stop => {
                sleep(outage()).await;
                self.node(node).thaw();
                self.goes_on(&before).await;
            }
            Fault::Partition => {
                sleep(outage()).await;
                self.node(node).heal();
                self.goes_on(&before).await;
            }
        }
        self.in_service().await;
        incident
    }

    async fn begin(&mut self, fault: Fault, node: usize) -> Incident {
        let owned = self.observer.ownership().await;
        let name = self.node(node).name();
        let sources = owned.into_iter().filter(|owned| owned.node == name);
        let sources = sources.map(|owned| owned.emitter).collect();
        let begun_at = now_ms();
        match fault {
            Fault::Kill => self.node_mut(node).kill9(),
            Fault::Stop => self.node(node).freeze(),
            Fault::Partition => self.node(node).cut(),
        }
        Incident {
            node,
            begun_at,
            in_force_at: now_ms(),
            sources,
        }
    }

    /// The number of the last commit of each source.
    pub(super) async fn commit_numbers(&self, sources: &[String]) -> HashMap<String, i64> {
        let mut numbers = HashMap::new();
        for source in sources {
            numbers.insert(source.clone(), self.observer.commit_no(source).await);
        }
        numbers
    }

    /// Waits until sources commit more than these numbers.
    pub(super) async fn goes_on(&self, before: &HashMap<String, i64>) {
        for (source, commit_no) in before {
            wait_for(PATIENCE, &format!("{source} to go on"), async || {
                (self.observer.commit_no(source).await > *commit_no).then_some(())
            })
            .await;
        }
    }
}

/// For each source of a node that failed: the time until the first event of a request that was sent after that. In milliseconds.
pub(super) fn takeovers(ledger: &Ledger, sources: &[Deployed], incidents: &[Incident]) -> Vec<i64> {
    let events: HashMap<&str, Vec<StoredEvent>> = sources
        .iter()
        .map(|source| (source.id.as_str(), ledger.events(&source.id)))
        .collect();
    let of_incident = |incident: &Incident| {
        let times = incident.sources.iter().filter_map(|source| {
            let events = events.get(source.as_str())?;
            let is_after = |event: &&StoredEvent| sent_at(event) > incident.in_force_at;
            let first = events.iter().find(is_after);
            let first = first.unwrap_or_else(|| panic!("{source} never went on"));
            Some(first.id.0 - incident.begun_at)
        });
        times.collect::<Vec<_>>()
    };
    incidents.iter().flat_map(of_incident).collect()
}
