//! Joining, leaving, and losing a node.

use std::time::Duration;

use sluice_cluster::{Cluster, JoinError, Joining, NodeDescription};
use sluice_store::{Location, Store, StoreOptions, nodes::NodeState};
use sluice_testkit::{Postgres, wait_for};

const PATIENCE: Duration = Duration::from_secs(30);

/// `None` when PostgreSQL is left out of this run.
fn database() -> Option<String> {
    let skips = std::env::var("SLUICE_TEST_SKIP_POSTGRES").as_deref() == Ok("1");
    (!skips).then(Postgres::database)
}

async fn open(url: &str) -> Store {
    // The error only means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let options = StoreOptions {
        postgres_connections: 3,
        ..StoreOptions::new(Location::Postgres(url.to_owned()))
    };
    let opened = tokio::task::spawn_blocking(move || Store::open(options));
    opened.await.unwrap().unwrap()
}

fn description(name: &str) -> NodeDescription {
    NodeDescription {
        name: name.to_owned(),
        address: None,
        public_url: "https://sluice.example.com".to_owned(),
        version: "1.2.3".to_owned(),
    }
}

async fn join(store: &Store, name: &str) -> Cluster {
    try_join(store, description(name)).await.unwrap()
}

async fn try_join(store: &Store, description: NodeDescription) -> Result<Cluster, JoinError> {
    let joining = Joining {
        description,
        token: "a token".to_owned(),
        predecessor: None,
    };
    Cluster::join(store, joining).await
}

/// The names of the nodes that a node takes for alive.
fn alive(cluster: &Cluster) -> Vec<String> {
    let members = cluster.members();
    let alive = members.iter().filter(|node| node.is_alive());
    alive.map(|node| node.name.clone()).collect()
}

async fn sees(cluster: &Cluster, expected: &[&str]) {
    wait_for(PATIENCE, "the nodes", async || {
        (alive(cluster) == expected).then_some(())
    })
    .await;
}

#[tokio::test]
async fn nodes_learn_of_each_other_and_of_their_end() {
    let Some(url) = database() else { return };
    let (store_a, store_b) = (open(&url).await, open(&url).await);
    let a = join(&store_a, "a").await;
    assert_eq!(alive(&a), ["a"]);
    let b = join(&store_b, "b").await;
    assert_eq!(alive(&b), ["a", "b"]);
    sees(&a, &["a", "b"]).await;

    b.drain();
    wait_for(PATIENCE, "the drain", async || {
        let members = a.members();
        let draining = |node: &sluice_store::nodes::Node| node.state == NodeState::Draining;
        members.iter().any(draining).then_some(())
    })
    .await;
    b.leave(&store_b).await.unwrap();
    sees(&a, &["a"]).await;
    assert!(a.lease().is_held());
}

#[tokio::test]
async fn a_node_that_cannot_renew_loses_its_lease_and_regains_it() {
    let Some(url) = database() else { return };
    let (store_a, store_b) = (open(&url).await, open(&url).await);
    let a = join(&store_a, "a").await;
    let b = join(&store_b, "b").await;
    assert!(!b.lease().may_take_over(), "not before a whole period");
    wait_for(PATIENCE, "a whole period", async || {
        b.lease().may_take_over().then_some(())
    })
    .await;
    let mut changes = b.lease().changes();
    // As a database that rejects writes of this node.
    block_heartbeats(&url, "b").await;
    changes.wait_for(|held| !held).await.unwrap();
    assert!(!b.lease().is_held());
    sees(&a, &["a"]).await;
    assert!(a.lease().is_held());

    allow_heartbeats(&url).await;
    changes.wait_for(|held| *held).await.unwrap();
    assert!(!b.lease().may_take_over());
    sees(&a, &["a", "b"]).await;
}

/// The clock of the database was set forward, so a lease has run out earlier than its node knows.
#[tokio::test]
async fn a_node_joins_when_one_that_was_alone_has_noticed_its_end() {
    let Some(url) = database() else { return };
    let (store_a, store_b) = (open(&url).await, open(&url).await);
    let a = join(&store_a, "a").await;
    assert!(a.is_alone());
    let expire = "UPDATE nodes SET expires_at = expires_at - 4000;";
    execute(&url, format!("{expire} {}", rejection_of("a"))).await;
    assert!(a.is_alone(), "it does not know yet");
    let b = join(&store_b, "b").await;
    assert!(!a.is_alone() && !b.is_alone());
}

async fn block_heartbeats(url: &str, name: &str) {
    execute(url, rejection_of(name)).await;
}

fn rejection_of(name: &str) -> String {
    format!(
        "CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN IF NEW.name = ''{name}'' THEN RAISE EXCEPTION ''no'' USING ERRCODE = ''58000''; \
         END IF; RETURN NEW; END'; \
         CREATE TRIGGER reject BEFORE UPDATE OR INSERT ON nodes \
         FOR EACH ROW EXECUTE FUNCTION reject()"
    )
}

async fn allow_heartbeats(url: &str) {
    execute(url, "DROP TRIGGER reject ON nodes".to_owned()).await;
}

async fn execute(url: &str, sql: String) {
    let url = url.to_owned();
    let run = move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        client.batch_execute(&sql).unwrap();
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

#[tokio::test]
async fn a_node_with_another_public_address_is_refused() {
    let Some(url) = database() else { return };
    let (store_a, store_b) = (open(&url).await, open(&url).await);
    let a = join(&store_a, "a").await;
    let other = || NodeDescription {
        public_url: "https://other.example.com".to_owned(),
        ..description("b")
    };
    let refused = try_join(&store_b, other()).await;
    let Err(JoinError::Refused(reason)) = refused.map(drop) else {
        panic!("it joined");
    };
    assert!(
        reason.contains("https://other.example.com") && reason.contains("--public-url"),
        "{reason}"
    );
    sees(&a, &["a"]).await;

    // A node that has ended does not matter.
    a.leave(&store_a).await.unwrap();
    let b = try_join(&store_b, other()).await;
    assert_eq!(alive(&b.unwrap()), ["b"]);
}

#[tokio::test]
async fn a_server_ends_the_lease_of_the_one_before_it_in_its_folder() {
    let Some(url) = database() else { return };
    let (store_a, store_b) = (open(&url).await, open(&url).await);
    let dead = join(&store_a, "a").await;
    let joining = Joining {
        description: description("b"),
        token: "a token".to_owned(),
        predecessor: Some(dead.incarnation().to_owned()),
    };
    let b = Cluster::join(&store_b, joining).await.unwrap();
    assert_eq!(alive(&b), ["b"]);
    assert!(b.is_alone());
}
