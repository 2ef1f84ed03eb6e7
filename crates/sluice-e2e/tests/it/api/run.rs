//! `POST /sources/{id}/run` with an event that is hard to take.

use serde_json::{Value, json};
use sluice_testkit::{Method, wait_for};

use super::fixtures::page;
use crate::support::{Deployed, PATIENCE, deploy, new_user};

/// Emits the event it was run with.
const ECHO: &str =
    r#"module.exports = { name: "Echo", version: "1", run(event) { this.$emit(event); } };"#;

async fn echo() -> Deployed {
    deploy(&new_user().await, ECHO).await
}

#[tokio::test]
async fn an_event_nested_a_hundred_thousand_deep_is_taken_and_does_not_harm_the_server() {
    let source = echo().await;
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let request = source.api.request(Method::POST, &source.path("/run"));
    let body = format!(r#"{{"event": {deep}}}"#);
    let answer = request
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await;
    assert!(answer.status < 500, "{}", answer.text);
    let marker: Value = json!("still here");
    source.run(marker.clone()).await;
    // Not expanded: the client that reads the answer here does not nest that deep.
    let path = source.path("/event_summaries");
    wait_for(PATIENCE, "the marker", async || {
        page(&source.api, &path)
            .await
            .each("event")
            .contains(&marker)
            .then_some(())
    })
    .await;
}
