//! `/auto_subscriptions`: listening to what does not exist yet.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method};

use super::{
    fixtures::{IDLE, idle_source, refused, text},
    subscriptions::{subscriptions, webhook},
};
use crate::support::new_user;

const PATH: &str = "/auto_subscriptions";

/// Its hook fails if the prop says so.
const HOOKED: &str = r#"module.exports = { "name": "Hooked", "version": "0.0.1", "run": {},
    "props": { "fail": "boolean" }, "hooks": { "deploy": { "fail_if": "fail" } } };"#;

/// The emitters that a listener is subscribed to, sorted.
async fn emitters(api: &Api, listener: &str) -> Vec<String> {
    let listed = subscriptions(api).await;
    let mut emitters: Vec<_> = listed
        .iter()
        .filter(|row| row["listener_id"] == *listener)
        .map(|row| text(&row["emitter_id"]))
        .collect();
    emitters.sort();
    emitters
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[tokio::test]
async fn only_sources_that_are_created_later_are_subscribed_to() {
    let api = new_user().await;
    idle_source(&api).await;
    let hook = webhook(&api).await;
    let body = json!({ "event_name": "$errors", "listener_id": hook });
    let auto = api.post(PATH, &body).await.ok();
    assert!(text(&auto["id"]).starts_with("sub_"));
    assert_eq!(auto["emitter_id"], "*");
    assert_eq!(auto["event_name"], "$errors");
    assert_eq!(auto["listener_id"], *hook);
    assert_eq!(subscriptions(&api).await, std::slice::from_ref(&auto));

    let later = idle_source(&api).await.id;
    let listed = subscriptions(&api).await;
    assert_eq!(listed.len(), 2);
    let made = listed
        .iter()
        .find(|row| row["emitter_id"] == *later)
        .expect("a row for the new source");
    assert_ne!(made["id"], auto["id"]);
    assert_eq!(made["event_name"], "$errors");
    assert_eq!(made["listener_id"], *hook);

    // The new source does not touch those of other users.
    let stranger = new_user().await;
    idle_source(&stranger).await;
    assert!(subscriptions(&stranger).await.is_empty());
    assert_eq!(subscriptions(&api).await.len(), 2);
}

#[tokio::test]
async fn every_auto_subscription_of_the_user_is_followed() {
    let api = new_user().await;
    let (hook, listener) = (webhook(&api).await, idle_source(&api).await.id);
    for (name, to) in [("", &hook), ("$logs", &hook), ("default", &listener)] {
        let body = json!({ "event_name": name, "listener_id": to });
        api.post(PATH, &body).await.expect(200);
    }
    let later = idle_source(&api).await.id;
    let to_the_hook = sorted(vec!["*".into(), "*".into(), later.clone(), later.clone()]);
    assert_eq!(emitters(&api, &hook).await, to_the_hook);
    assert_eq!(emitters(&api, &listener).await, ["*".to_owned(), later]);
}

#[tokio::test]
async fn the_same_again_is_the_same_row() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let path = format!("{PATH}?event_name=default&listener_id={hook}");
    let first = api
        .request(Method::POST, &path)
        .header("Content-Type", "application/json")
        .send()
        .await
        .ok();
    let body = json!({ "event_name": "default", "listener_id": hook, "include": "id" });
    let again = api.post(PATH, &body).await.ok();
    assert_eq!(again, json!({ "id": first["id"] }));
    idle_source(&api).await;
    assert_eq!(subscriptions(&api).await.len(), 2);
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_refused() {
    let (api, stranger) = (new_user().await, new_user().await);
    let hook = webhook(&api).await;
    let foreign = webhook(&stranger).await;
    let refusal = async |body: Value, status| refused(api.post(PATH, &body).await, status);
    assert_eq!(
        refusal(json!({ "listener_id": hook }), 400).await,
        "event_name is required"
    );
    assert_eq!(
        refusal(json!({ "event_name": "" }), 400).await,
        "listener_id is required"
    );
    for name in ["$nonsense", "\0", &"x".repeat(501)] {
        refusal(json!({ "event_name": name, "listener_id": hook }), 400).await;
    }
    for listener in ["wh_unknown", &foreign, "p_abc", "*"] {
        refusal(json!({ "event_name": "", "listener_id": listener }), 404).await;
    }
    assert!(subscriptions(&api).await.is_empty());
}

#[tokio::test]
async fn they_end_with_delete_and_what_they_made_stays() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let body = json!({ "event_name": "", "listener_id": hook });
    api.post(PATH, &body).await.expect(200);
    let made_for = idle_source(&api).await.id;
    let path = format!("/subscriptions?emitter_id=*&event_name=&listener_id={hook}");
    api.delete(&path).await.expect(204);
    refused(api.delete(&path).await, 404);
    idle_source(&api).await;
    assert_eq!(emitters(&api, &hook).await, [made_for]);
}

#[tokio::test]
async fn they_end_with_their_listener() {
    let api = new_user().await;
    let (hook, listener) = (webhook(&api).await, idle_source(&api).await);
    for to in [&hook, &listener.id] {
        let body = json!({ "event_name": "", "listener_id": to });
        api.post(PATH, &body).await.expect(200);
    }
    api.delete(&format!("/webhooks/{hook}")).await.expect(204);
    api.delete(&listener.path("")).await.expect(204);
    idle_source(&api).await;
    assert!(subscriptions(&api).await.is_empty());
}

#[tokio::test]
async fn a_source_with_hooks_is_subscribed_to_once_and_one_that_fails_leaves_nothing() {
    let api = new_user().await;
    let hook = webhook(&api).await;
    let body = json!({ "event_name": "", "listener_id": hook });
    api.post(PATH, &body).await.expect(200);
    let deploy = |fail: bool| {
        let body = json!({ "component_code": HOOKED, "configured_props": { "fail": fail } });
        let api = api.clone();
        async move { api.post("/sources", &body).await }
    };
    deploy(true).await.expect(422);
    assert_eq!(emitters(&api, &hook).await, ["*"]);
    let source = text(&deploy(false).await.ok()["id"]);
    assert_eq!(emitters(&api, &hook).await, ["*".to_owned(), source]);
}

#[tokio::test]
async fn an_update_of_a_source_subscribes_nobody() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let hook = webhook(&api).await;
    let body = json!({ "event_name": "", "listener_id": hook });
    api.post(PATH, &body).await.expect(200);
    let update = json!({ "component_code": IDLE, "name": "other" });
    api.put(&source.path(""), &update).await.expect(200);
    assert_eq!(emitters(&api, &hook).await, ["*"]);
}
