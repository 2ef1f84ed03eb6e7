//! The versions of a source: what makes one, what they show, and rollback.

use serde_json::{Value, json};

use super::fixtures::{IDLE, WITH_PROPS, idle_source, refused};
use crate::support::{Deployed, EMITTER, deploy, deploy_with, new_user};

const WITH_SECRET: &str = r#"module.exports = { "name": "Secretive", "version": "0.0.1",
    "props": { "token": { "type": "string", "secret": true }, "city": "string" },
    "run": { "emit": "props" } };"#;

async fn versions(source: &Deployed) -> Vec<Value> {
    let listed = source.api.get(&source.path("/versions")).await.ok();
    listed.as_array().expect("a list").clone()
}

async fn numbers(source: &Deployed) -> Vec<u64> {
    let listed = versions(source).await;
    let numbers = listed.iter().map(|version| version["number"].as_u64());
    numbers.collect::<Option<_>>().expect("numbers")
}

async fn version(source: &Deployed, number: u32) -> Value {
    let path = source.path(&format!("/versions/{number}"));
    source.api.get(&path).await.ok()
}

async fn change(source: &Deployed, change: Value) -> Value {
    source.api.put(&source.path(""), &change).await.ok()
}

async fn roll_back(source: &Deployed, number: u32) -> Value {
    let body = json!({ "version": number });
    let path = source.path("/rollback");
    source.api.post(&path, &body).await.ok()
}

#[tokio::test]
async fn a_change_of_code_or_props_makes_a_version() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome" })).await;
    assert_eq!(source.source["version"], 1);
    let changed = change(&source, json!({ "configured_props": { "city": "Ulm" } })).await;
    assert_eq!(changed["version"], 2);
    let code = WITH_PROPS.replace("0.0.1", "0.0.2");
    change(&source, json!({ "component_code": code })).await;
    assert_eq!(numbers(&source).await, [3, 2, 1]);
    let listed = versions(&source).await;
    let running: Vec<_> = listed.iter().map(|one| &one["running"]).collect();
    assert_eq!(running, [&json!(true), &json!(false), &json!(false)]);
    assert_eq!(listed[0]["restored"], Value::Null);
    assert_eq!(listed[0]["credential"], "key");
    let me = api.get("/users/me").await.ok();
    assert_eq!(listed[0]["author"], me["username"]);
    assert_eq!(listed[1]["component_id"], source.source["component_id"]);
    assert!(listed[0].get("code").is_none() && listed[0]["created_at"].is_i64());
    let first = version(&source, 1).await;
    assert_eq!(first["configured_props"], json!({ "city": "Rome" }));
    assert_eq!(first["code"], WITH_PROPS);
    assert_eq!(version(&source, 3).await["code"], code);
}

#[tokio::test]
async fn other_changes_make_no_version() {
    let api = new_user().await;
    let source = deploy_with(&api, WITH_PROPS, json!({ "city": "Rome" })).await;
    for body in [
        json!({ "name": "Renamed" }),
        json!({ "active": false }),
        json!({ "active": true }),
        json!({ "retention": { "max_events": 5 } }),
        json!({ "configured_props": { "city": "Rome" } }),
        json!({ "component_id": source.source["component_id"] }),
    ] {
        assert_eq!(change(&source, body).await["version"], 1);
    }
    assert_eq!(numbers(&source).await, [1]);
}

#[tokio::test]
async fn a_rejected_change_makes_no_version() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let failing = r#"module.exports = { "name": "Hooked", "version": "0.0.2", "run": {},
        "hooks": { "activate": { "fail": "no" } } };"#;
    let body = json!({ "component_code": failing });
    api.put(&source.path(""), &body).await.expect(422);
    assert_eq!(numbers(&source).await, [1]);
    let next = change(&source, json!({ "component_code": IDLE })).await;
    assert_eq!(next["version"], 2);
}

#[tokio::test]
async fn a_rollback_runs_the_code_and_props_of_that_version_as_a_new_one() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let endpoint = source.endpoint().to_owned();
    change(&source, json!({ "component_code": IDLE, "name": "Quiet" })).await;
    let back = roll_back(&source, 1).await;
    assert_eq!(
        (&back["version"], &back["name"]),
        (&json!(3), &json!("Quiet"))
    );
    assert_eq!(back["component_id"], source.source["component_id"]);
    assert_ne!(back["configured_props"]["http"]["endpoint_url"], endpoint);
    let listed = versions(&source).await;
    assert_eq!(listed[0]["restored"], 1);
    source.run(json!({ "emits": [["of the old code"]] })).await;
    assert_eq!(source.events(1).await, [json!("of the old code")]);
}

#[tokio::test]
async fn a_rollback_keeps_the_endpoint_and_the_state() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let code = EMITTER.replace("0.0.1", "0.0.2");
    change(&source, json!({ "component_code": code, "active": false })).await;
    let back = roll_back(&source, 1).await;
    assert_eq!(back["active"], false);
    assert_eq!(back["configured_props"], source.source["configured_props"]);
}

#[tokio::test]
async fn a_rollback_brings_secrets_back_which_no_version_shows() {
    let api = new_user().await;
    let props = |token: &str| json!({ "token": token, "city": "Ulm" });
    let source = deploy_with(&api, WITH_SECRET, props("first-secret")).await;
    change(
        &source,
        json!({ "configured_props": props("second-secret") }),
    )
    .await;
    for number in [1, 2] {
        let shown = version(&source, number).await;
        assert_eq!(shown["configured_props"]["city"], "Ulm");
        assert!(!shown.to_string().contains("-secret"), "{shown}");
    }
    roll_back(&source, 1).await;
    source.run(json!({})).await;
    let events = source.events(1).await;
    assert_eq!(events[0]["token"], "first-secret", "{events:?}");
}

#[tokio::test]
async fn unknown_versions_and_sources_of_others_are_404() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for missing in ["/versions/2", "/versions/0", "/versions/x", "/versions/-1"] {
        refused(api.get(&source.path(missing)).await, 404);
    }
    let rollback = source.path("/rollback");
    refused(api.post(&rollback, &json!({ "version": 9 })).await, 404);
    refused(api.post(&rollback, &json!({})).await, 400);
    refused(api.post(&rollback, &json!({ "version": 1 })).await, 409);
    let other = new_user().await;
    for path in ["/versions", "/versions/1"] {
        refused(other.get(&source.path(path)).await, 404);
    }
    refused(other.post(&rollback, &json!({ "version": 1 })).await, 404);
    let by_slug = api.get("/sources/idle/versions").await.ok();
    assert_eq!(by_slug.as_array().map(Vec::len), Some(1));
}
