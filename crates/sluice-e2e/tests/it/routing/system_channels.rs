//! `$errors` and `$logs` as channels to subscribe to.

use serde_json::json;

use super::fixtures::{heard, listener, subscribe};
use crate::support::{deploy, new_user};

const NOISY: &str = r#"module.exports = {
  name: "noisy", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) {
    console.warn("about to " + event.body.what);
    if (event.body.what === "fail") throw new TypeError("failed as told");
  },
};"#;

#[tokio::test]
async fn errors_of_a_source_reach_those_who_subscribed_to_them() {
    let api = new_user().await;
    let (noisy, listener) = (deploy(&api, NOISY).await, listener(&api).await);
    subscribe(&api, &noisy.id, "$errors", &listener.id).await;
    noisy.send(&json!({ "what": "fail" })).await.expect(200);
    let error = &heard(&listener, 1).await[0];
    assert_eq!(error["error"]["code"], "TypeError");
    assert_eq!(error["error"]["msg"], "failed as told");
    assert_eq!(error["original_event"]["body"], json!({ "what": "fail" }));
    assert_eq!(error["metadata"]["emitter_id"], noisy.id);
    assert_eq!(error["metadata"]["name"], "$errors");
}

#[tokio::test]
async fn each_log_line_is_an_event_of_its_own() {
    let api = new_user().await;
    let (noisy, listener) = (deploy(&api, NOISY).await, listener(&api).await);
    subscribe(&api, &noisy.id, "$logs", &listener.id).await;
    noisy.send(&json!({ "what": "sing" })).await.expect(200);
    noisy.send(&json!({ "what": "dance" })).await.expect(200);
    let lines = heard(&listener, 2).await;
    assert_eq!(lines[0]["msg"], "about to sing");
    assert_eq!(lines[0]["level"], "warn");
    assert!(lines[0]["ts"].is_i64());
    assert_eq!(lines[0].as_object().expect("an object").len(), 4);
    assert_eq!(lines[1]["msg"], "about to dance");
}
