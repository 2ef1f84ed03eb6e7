//! `customResponse` through any node.

use serde_json::json;
use sluice_testkit::Method;

use super::stage::{NODES, Stage};
use crate::{
    gate::{self, Gate},
    support::Deployed,
};

const ANSWERING: &str = r#"module.exports = {
  name: "answering", version: "0.0.1", props: { http: { type: "$.interface.http", customResponse: true } },
  async run(event) {
    const { gate, n } = event.body;
    if (gate) await fetch(gate);
    this.http.respond({ status: 201, body: { n } });
    this.$emit(n);
  },
};"#;

async fn source(stage: &Stage) -> Deployed {
    stage.deploy(1, ANSWERING).await.remove(0)
}

async fn each_node_answers(stage: &Stage, source: &Deployed) {
    for node in 0..NODES {
        let answer = stage.send(node, source, &json!({ "n": node })).await;
        assert_eq!(answer.expect(201), json!({ "n": node }));
    }
}

#[tokio::test]
async fn every_node_gives_the_response_of_the_component() {
    let stage = Stage::start().await;
    let source = source(&stage).await;
    each_node_answers(&stage, &source).await;
    assert_eq!(source.events(NODES).await, [json!(0), json!(1), json!(2)]);
}

/// Without links between the nodes, the database carries requests and responses.
#[tokio::test]
async fn every_node_gives_the_response_when_no_node_reaches_another() {
    let stage = Stage::start().await;
    let source = source(&stage).await;
    for node in stage.cluster.nodes() {
        node.from_nodes().cut();
    }
    each_node_answers(&stage, &source).await;
    assert_eq!(source.events(NODES).await, [json!(0), json!(1), json!(2)]);
}

#[tokio::test]
async fn a_client_of_another_node_gets_its_response_when_the_owner_is_killed() {
    let mut stage = Stage::start_with(&gate::ARGS).await;
    let source = source(&stage).await;
    // The owner of a source that has run.
    stage.send(0, &source, &json!({ "n": 0 })).await.expect(201);
    let owner = stage.owner(&source).await;
    let other = (owner + 1) % NODES;
    let gate = Gate::shut().await;
    let url = stage.endpoint(&source, other);
    let body = json!({ "n": 1, "gate": gate.url() });
    let request = source.api.absolute(Method::POST, &url).json(&body);
    let request = tokio::spawn(request.send());
    gate.arrived(1).await;
    stage.node_mut(owner).kill9();
    gate.open();
    let answer = request.await.expect("no panic");
    assert_eq!(answer.expect(201), json!({ "n": 1 }));
    let source = stage.on(other, &source);
    assert_eq!(source.events(2).await, [json!(0), json!(1)]);
}
