//! Three nodes, and a view of their database.

use std::time::Duration;

use serde_json::Value;
use sluice_testkit::{
    Answer, Cluster, Method, Node, OwnPostgres, PUBLIC_URL, ServerOptions, wait_for,
};

use super::{commit_log, observer::Observer};
use crate::{
    ledger::Ledger,
    support::{Deployed, PATIENCE, deploy, own_server},
};

pub(super) const NODES: usize = 3;
/// Every node answers again within this time after a fault.
const BACK: Duration = Duration::from_secs(30);

pub(super) struct Stage {
    pub(super) cluster: Cluster,
    pub(super) observer: Observer,
    pub(super) ledger: Ledger,
}

impl Stage {
    /// Events are kept, so that all of them can be checked in the end.
    pub(super) async fn start() -> Stage {
        Stage::start_with(&[]).await
    }

    pub(super) async fn start_with(args: &[&str]) -> Stage {
        let options = args.iter().fold(Stage::options(), ServerOptions::arg);
        Stage::of(Cluster::start(NODES, options).await).await
    }

    /// The options of a node.
    pub(super) fn options() -> ServerOptions {
        own_server().args(["--event-retention", "10000000"])
    }

    /// Logs the commits of a cluster from now on.
    pub(super) async fn of(cluster: Cluster) -> Stage {
        let url = cluster.database().url().to_owned();
        let observer = Observer::new(&url);
        commit_log::install(&observer).await;
        Stage {
            cluster,
            observer,
            ledger: Ledger::Postgres(url),
        }
    }

    pub(super) fn node(&self, index: usize) -> &Node {
        &self.cluster.nodes()[index]
    }

    pub(super) fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.cluster.nodes_mut()[index]
    }

    /// Sources with the same code, which share a process on each node, each created on the next node.
    pub(super) async fn deploy(&self, count: usize, code: &str) -> Vec<Deployed> {
        let apis = self.cluster.apis();
        let mut sources = Vec::with_capacity(count);
        for api in apis.iter().cycle().take(count) {
            sources.push(deploy(api, code).await);
        }
        sources
    }

    /// A source as a client of another node sees it.
    pub(super) fn on(&self, node: usize, source: &Deployed) -> Deployed {
        Deployed {
            api: self.node(node).api(),
            ..source.clone()
        }
    }

    /// Posts JSON to the endpoint of a source on a node.
    pub(super) async fn send(&self, node: usize, source: &Deployed, body: &Value) -> Answer {
        let url = self.endpoint(source, node);
        let request = source.api.absolute(Method::POST, &url);
        request.json(body).send().await
    }

    /// The endpoint of a source on a node.
    pub(super) fn endpoint(&self, source: &Deployed, node: usize) -> String {
        format!("{}{}", self.node(node).url(), endpoint_path(source))
    }

    /// The node that owns a source.
    pub(super) async fn owner(&self, source: &Deployed) -> usize {
        wait_for(PATIENCE, "the source to have an owner", async || {
            let owned = self.observer.ownership().await;
            let owned = owned.iter().find(|owned| owned.emitter == source.id)?;
            let mut nodes = self.cluster.nodes().iter();
            nodes.position(|node| node.name() == owned.node)
        })
        .await
    }

    /// Follows the database that the nodes were moved to.
    pub(super) fn move_to(&mut self, database: OwnPostgres) {
        let url = database.url().to_owned();
        self.cluster.move_to(database);
        self.observer = Observer::new(&url);
        self.ledger = Ledger::Postgres(url);
    }

    /// Waits until all nodes are in service.
    pub(super) async fn in_service(&self) {
        for api in self.cluster.apis() {
            wait_for(BACK, "the node to be in service", async || {
                let health = api.root(Method::GET, "/healthz").try_send().await;
                health
                    .is_ok_and(|health| health.status == 200)
                    .then_some(())
            })
            .await;
        }
    }

    /// Waits until everything that sources accepted is committed.
    pub(super) async fn settled(&self, sources: &[Deployed]) {
        for source in sources {
            wait_for(PATIENCE, "the inbox to run empty", async || {
                (self.ledger.waiting(&source.id) == 0).then_some(())
            })
            .await;
        }
    }
}

/// The path of a source's endpoint, which is the same on all nodes.
pub(super) fn endpoint_path(source: &Deployed) -> &str {
    let path = source.endpoint().strip_prefix(PUBLIC_URL);
    path.expect("an endpoint below the public URL")
}
