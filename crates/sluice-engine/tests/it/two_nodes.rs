//! Two engines on one store that are nodes of one cluster. Each takes over what it is asked for.

use std::sync::Arc;

use sluice_cluster::{Cluster, testing};
use sluice_engine::Engine;
use sluice_infra::{Infra, Settings};
use sluice_model::TimerSpec;
use sluice_runtime::{
    Processes,
    scripted::{ScriptedInvocation, ScriptedOutcome, ScriptedProcesses},
};
use sluice_store::{Conn, StoreError, nodes};

use crate::fixture::Fixture;

pub(crate) struct TwoNodes {
    pub(crate) first: Fixture,
    pub(crate) second: Engine,
    /// A third node, without an engine.
    pub(crate) observer: Cluster,
}

impl TwoNodes {
    pub(crate) async fn start(
        sources: Vec<(&'static str, Option<(TimerSpec, i64)>)>,
        change: impl FnOnce(&mut Settings),
        run: impl Fn(&ScriptedInvocation) -> ScriptedOutcome + Send + Sync + 'static,
    ) -> TwoNodes {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (a, b) = (testing::node("a").await, testing::node("b").await);
        let observer = testing::node("c").await;
        testing::introduce(&[&a, &b, &observer]);
        let processes = ScriptedProcesses::new(run);
        let first = Fixture::on_node(Some(a), sources, change, processes.clone()).await;
        let store = Arc::clone(first.infra.store.incarnation());
        let joined = first
            .infra
            .store
            .write(move |c| stay_alive(c, [&*store, "a", "b"]));
        joined.await.unwrap();
        let second_infra = Infra {
            cluster: b,
            ..first.infra.clone()
        };
        let processes: Arc<dyn Processes> = Arc::new(processes);
        let second = Engine::start(&second_infra, &processes).await.unwrap();
        TwoNodes {
            first,
            second,
            observer,
        }
    }
}

/// Gives nodes a lease for the whole test. Both engines claim in the name of the store.
fn stay_alive(c: &mut dyn Conn, incarnations: [&str; 3]) -> Result<(), StoreError> {
    for incarnation in incarnations {
        let node = nodes::NewNode {
            incarnation: incarnation.to_owned(),
            name: incarnation.to_owned(),
            address: None,
            public_url: String::new(),
            version: String::new(),
            protocol: 1,
        };
        nodes::join(c, &node, false)?;
    }
    c.execute("UPDATE nodes SET expires_at = expires_at * 2", &[])
        .map(drop)
}
