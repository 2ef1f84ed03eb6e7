//! `http` and `schedule`.

use serde_json::json;
use sluice_testkit::Method;

use super::{deploy_key, poll, rarely, user};

#[tokio::test]
async fn requests_are_emitted_and_answered() {
    let api = user().await;
    let source = deploy_key(&api, "http", json!({})).await;
    let answer = source.send(&json!({ "id": 42 })).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, json!({ "success": true }));
    let [event] = source.events(1).await.try_into().expect("one event");
    assert_eq!(event["method"], "POST");
    assert_eq!(event["body"], json!({ "id": 42 }));
}

#[tokio::test]
async fn a_token_keeps_strangers_out() {
    let api = user().await;
    let props = json!({ "token": "secret", "status": 202, "responseBody": "thanks", "contentType": "text/plain" });
    let source = deploy_key(&api, "http", props).await;
    assert_eq!(source.send(&json!({})).await.status, 401);
    let request = api.absolute(Method::POST, source.endpoint());
    let answer = request
        .header("authorization", "Bearer secret")
        .json(&json!(1))
        .send()
        .await;
    assert_eq!((answer.status, answer.text.as_str()), (202, "thanks"));
    let events = source.events(1).await;
    assert!(!format!("{events:?}").contains("secret"), "{events:?}");
}

#[tokio::test]
async fn ticks_are_emitted() {
    let api = user().await;
    let props = json!({ "timer": { "intervalSeconds": 3600 }, "data": { "a": "b" } });
    let source = deploy_key(&api, "schedule", props).await;
    // An interval begins with a tick.
    let events = source.events(1).await;
    assert_eq!(events[0]["interval_seconds"], 3600);
    assert_eq!(events[0]["data"], json!({ "a": "b" }));
    let other = deploy_key(&api, "schedule", json!({ "timer": rarely() })).await;
    poll(&other).await;
    assert!(other.events(1).await[0]["time"].is_string());
}
