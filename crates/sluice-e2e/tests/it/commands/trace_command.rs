//! `sluice trace`

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::Cli;
use crate::{routing::fixtures::relay, support::PATIENCE};

#[tokio::test]
async fn the_tree_of_a_request_is_printed() {
    let cli = Cli::new().await;
    let relay = relay(&cli.api).await;
    let sent = relay.send(&json!({ "value": 1, "summary": "one" })).await;
    let id = sent.expect(200)["id"].as_str().expect("an id").to_owned();
    let out = wait_for(PATIENCE, "the event", async || {
        let ran = cli.run(&["trace", &id]).await;
        ran.out.contains("event one").then_some(ran.out)
    })
    .await;
    for part in ["trigger http", "└─ source relay ◀", "succeeded", &id] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let json = cli
        .ok(&["trace", &id, "--emitter", &relay.id, "--json"])
        .await;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(3));
    let unknown = cli.run(&["trace", "1-1"]).await;
    assert_ne!(unknown.code, 0);
}
