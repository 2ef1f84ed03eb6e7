//! Nodes that reach PostgreSQL through PgBouncer in transaction mode.

use serde_json::{Value, json};
use sluice_testkit::{Method, PUBLIC_URL, PgBouncer, Postgres, Server, unique_hex};

use super::stage::endpoint_path;
use crate::support::{Deployed, deploy, own_server};

const COUNTER: &str = r#"module.exports = {
  name: "counter", version: "0.0.1",
  props: { http: "$.interface.http", db: "$.service.db" },
  run(event) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    this.$emit({ n: event.body.n, count });
  },
};"#;

/// Fewer sessions of PostgreSQL than a node has connections.
const SESSIONS: u32 = 6;

#[tokio::test]
async fn a_source_counts_on_at_another_node_when_its_own_is_killed() {
    let database = Postgres::database();
    let Some(pooler) = PgBouncer::start(&database, SESSIONS) else {
        return;
    };
    let (api_key, master_key) = (unique_hex(), unique_hex() + &unique_hex());
    let options = |name| {
        own_server()
            .postgres(&database)
            .api_key(&api_key)
            .env("SLUICE_MASTER_KEY", &master_key)
            .args(["--database-pooler-url", pooler.url()])
            .args(["--public-url", PUBLIC_URL, "--node-name", name])
    };
    let mut first = Server::start(options("n1")).await;
    let second = Server::start(options("n2")).await;
    let source = deploy(&first.api(), COUNTER).await;
    send(&first, &source, 1..=20).await;
    source.events(20).await;
    first.kill9();

    let source = Deployed {
        api: second.api(),
        ..source
    };
    send(&second, &source, 21..=40).await;
    let events = source.events(40).await;
    let mut counts: Vec<_> = events.iter().map(count).collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=40).collect::<Vec<_>>());
}

async fn send(server: &Server, source: &Deployed, numbers: impl Iterator<Item = u64>) {
    let url = format!("{}{}", server.url(), endpoint_path(source));
    for n in numbers {
        let request = source.api.absolute(Method::POST, &url);
        request.json(&json!({ "n": n })).send().await.expect(200);
    }
}

fn count(event: &Value) -> u64 {
    event["count"].as_u64().expect("a count")
}
