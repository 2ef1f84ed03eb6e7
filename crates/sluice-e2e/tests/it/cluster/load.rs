//! Clients of many sources at once.

use super::{
    clients::{COUNTER, Clients},
    commit_log,
    history::{self, History},
    report::Report,
    scale::by_scale,
    stage::Stage,
};
use crate::support::Deployed;

const CLIENTS: u64 = 2;

fn source_count() -> usize {
    by_scale(6, 12)
}

pub(super) struct Load {
    pub(super) sources: Vec<Deployed>,
    clients: Vec<Clients>,
}

impl Load {
    pub(super) async fn start(stage: &Stage) -> Load {
        let sources = stage.deploy(source_count(), COUNTER).await;
        let clients = sources.iter().map(|source| {
            let nodes = 0..stage.cluster.nodes().len();
            let endpoints: Vec<_> = nodes.map(|node| stage.endpoint(source, node)).collect();
            Clients::start(&endpoints, CLIENTS)
        });
        let clients = clients.collect();
        Load { sources, clients }
    }

    /// Ends the load, waits until all is committed, and checks it. The report has no takeovers yet.
    pub(super) async fn finish(self, stage: &Stage, fault: &'static str, count: usize) -> Finished {
        let mut sent = Vec::new();
        for clients in self.clients {
            sent.push(clients.finish().await);
        }
        stage.settled(&self.sources).await;
        let mut history = History::default();
        for (source, sent) in self.sources.iter().zip(&sent) {
            history.add(&history::check(&stage.ledger, source, sent));
        }
        let violations = commit_log::check(&stage.observer).await;
        Finished {
            sources: self.sources,
            report: Report::new(fault, count, history, violations),
        }
    }
}

pub(super) struct Finished {
    pub(super) sources: Vec<Deployed>,
    pub(super) report: Report,
}
