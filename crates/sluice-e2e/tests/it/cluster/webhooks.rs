//! Deliveries of a cluster whose nodes are healthy.

use std::collections::BTreeSet;

use serde_json::json;
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
    webhook::Webhook,
};

use super::stage::{NODES, Stage};
use crate::support::PATIENCE;

const SOURCES: usize = 4;
const REQUESTS: usize = 60;

const ECHO: &str = r#"module.exports = {
  name: "echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body.n); },
};"#;

#[tokio::test]
async fn each_event_is_delivered_once() {
    let stage = Stage::start_with(&["--allow-private-network"]).await;
    let receiver = Receiver::start(|_| Answer::status(200));
    let sources = stage.deploy(SOURCES, ECHO).await;
    for (number, source) in sources.iter().enumerate() {
        let body = json!({ "url": receiver.url("/") });
        let api = stage.node(number % NODES).api();
        Webhook::create(&api, &source.id, &body, "").await;
    }
    for n in 0..REQUESTS {
        let source = &sources[n % SOURCES];
        let sent = stage.send(n % NODES, source, &json!({ "n": n })).await;
        sent.expect(200);
    }
    wait_for(PATIENCE, "all deliveries", async || {
        (stage.ledger.deliveries("delivered") == REQUESTS).then_some(())
    })
    .await;
    let requests = receiver.requests();
    let numbers: BTreeSet<_> = requests
        .iter()
        .map(|request| request.body.clone())
        .collect();
    let ids: BTreeSet<_> = requests
        .iter()
        .map(|request| request.header("webhook-id").expect("an id").to_owned())
        .collect();
    assert_eq!(
        (requests.len(), numbers.len(), ids.len()),
        (REQUESTS, REQUESTS, REQUESTS)
    );
}
