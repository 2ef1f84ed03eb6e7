//! Rows of the inbox that no owner was told of.

use serde_json::json;
use sluice_testkit::{Postgres, Server};

use crate::support::{deploy, own_server};

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.n ?? event.body.n); },
};"#;

/// As a node that stores a request and dies before it can tell the owner.
async fn store_silently(url: &str, source: &str, id: &str, n: u32) {
    let sql = format!(
        "INSERT INTO inbox (emitter_id, id, kind, attempts, accepted_at, payload) \
         VALUES ('{source}', '{id}', 'manual', 0, 1, '{{\"n\":{n}}}')"
    );
    let url = url.to_owned();
    let run = move || {
        let mut client = postgres::Client::connect(&url, postgres::NoTls).expect("a connection");
        client.batch_execute(&sql).expect("a row");
    };
    tokio::task::spawn_blocking(run).await.expect("no panic");
}

#[tokio::test]
async fn stored_work_that_no_owner_was_told_of_runs_all_the_same() {
    let url = Postgres::database();
    let server = Server::start(own_server().postgres(&url)).await;
    let source = deploy(&server.api(), ECHO).await;
    // A source that has no owner yet.
    store_silently(&url, &source.id, "0000000G8000Os0Y10H8sxxcO8M", 1).await;
    let events = source.events(1).await;
    assert_eq!(events, [json!(1)]);
    // One whose owner is idle.
    store_silently(&url, &source.id, "0000000G8001Ix6es3rRAjzUtvl", 2).await;
    let events = source.events(2).await;
    assert_eq!(events, [json!(1), json!(2)]);
}
