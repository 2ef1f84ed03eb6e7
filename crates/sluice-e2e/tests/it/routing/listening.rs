//! A source may listen to a source, to several, and to all.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::fixtures::{LISTENER, heard, listener, relay, subscribe};
use crate::support::{deploy, new_user, new_user_on};

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_listening_source_runs_with_the_bare_emitted_value_in_order(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    subscribe(&api, &relay.id, "", &listener.id).await;
    let values = [
        json!({ "a": [1, null] }),
        json!("text"),
        json!([1, 2]),
        json!(7),
        json!(null),
        json!(true),
    ];
    for value in &values {
        relay.send(&json!({ "value": value })).await.expect(200);
    }
    assert_eq!(heard(&listener, values.len()).await, values);
}

#[tokio::test]
async fn an_event_is_heard_once_however_many_subscriptions_match() {
    let api = new_user().await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    for (emitter, name) in [
        (relay.id.as_str(), ""),
        (&relay.id, "default"),
        ("dc_*", ""),
    ] {
        subscribe(&api, emitter, name, &listener.id).await;
    }
    // The glob has the listener hear itself, which its own events show: so count what came from the relay.
    relay.send(&json!({ "value": "once" })).await.expect(200);
    relay.send(&json!({ "value": "twice" })).await.expect(200);
    let settled = sluice_testkit::wait_for(crate::support::PATIENCE, "both events", async || {
        let all = listener.summaries().await;
        let direct: Vec<_> = all
            .iter()
            .map(|summary| summary["event"]["heard"].clone())
            .filter(serde_json::Value::is_string)
            .collect();
        (direct.len() >= 2).then_some(direct)
    });
    assert_eq!(settled.await, [json!("twice"), json!("once")]);
}

#[tokio::test]
async fn a_source_listens_to_several_emitters() {
    let api = new_user().await;
    let (first, second, listener) = (relay(&api).await, relay(&api).await, listener(&api).await);
    for emitter in [&first, &second] {
        subscribe(&api, &emitter.id, "", &listener.id).await;
    }
    first.send(&json!({ "value": 1 })).await.expect(200);
    heard(&listener, 1).await;
    second.send(&json!({ "value": 2 })).await.expect(200);
    assert_eq!(heard(&listener, 2).await, [json!(1), json!(2)]);
}

#[tokio::test]
async fn a_subscription_is_for_one_channel() {
    let api = new_user().await;
    let (relay, custom, default) = (
        relay(&api).await,
        listener(&api).await,
        listener(&api).await,
    );
    subscribe(&api, &relay.id, "orders", &custom.id).await;
    subscribe(&api, &relay.id, "default", &default.id).await;
    for (name, value) in [("orders", 1), ("other", 2), ("default", 3)] {
        let body = json!({ "name": name, "value": value });
        relay.send(&body).await.expect(200);
    }
    relay.send(&json!({ "value": 4 })).await.expect(200);
    assert_eq!(heard(&default, 2).await, [json!(3), json!(4)]);
    assert_eq!(heard(&custom, 1).await, [json!(1)]);
}

#[tokio::test]
async fn the_glob_is_for_all_sources_of_the_user_also_later_ones() {
    let (api, other) = (new_user().await, new_user().await);
    let listener = deploy(&other, LISTENER).await;
    let before = relay(&other).await;
    subscribe(&other, "dc_*", "ping", &listener.id).await;
    let after = relay(&other).await;
    let foreign = relay(&api).await;
    foreign
        .send(&json!({ "name": "ping", "value": "foreign" }))
        .await
        .expect(200);
    foreign.events(1).await;
    before
        .send(&json!({ "name": "ping", "value": 1 }))
        .await
        .expect(200);
    heard(&listener, 1).await;
    after
        .send(&json!({ "name": "ping", "value": 2 }))
        .await
        .expect(200);
    assert_eq!(heard(&listener, 2).await, [json!(1), json!(2)]);
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn an_account_and_its_workspace_are_emitters_too(#[case] backend: Backend) {
    let (api, stranger) = (new_user_on(backend).await, new_user_on(backend).await);
    let me = api.get("/users/me").await.ok();
    let ids = [&me["id"], &me["orgs"][0]["id"]].map(|id| id.as_str().expect("an id").to_owned());
    let relay = relay(&api).await;
    for (id, name) in ids.iter().zip(["one", "two"]) {
        let listener = deploy(&api, LISTENER).await;
        subscribe(&api, id, name, &listener.id).await;
        let body = json!({ "name": name, "value": name });
        relay.send(&body).await.expect(200);
        assert_eq!(heard(&listener, 1).await, [json!(name)]);
        let foreign = deploy(&stranger, LISTENER).await;
        let body = json!({ "emitter_id": id, "listener_id": foreign.id });
        stranger.post("/subscriptions", &body).await.expect(404);
    }
}

#[tokio::test]
async fn what_is_emitted_while_a_listener_is_inactive_is_not_kept_for_it() {
    let api = new_user().await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    subscribe(&api, &relay.id, "", &listener.id).await;
    api.put(&listener.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    relay.send(&json!({ "value": "missed" })).await.expect(200);
    relay.events(1).await;
    api.put(&listener.path(""), &json!({ "active": true }))
        .await
        .expect(200);
    relay.send(&json!({ "value": "heard" })).await.expect(200);
    assert_eq!(heard(&listener, 1).await, [json!("heard")]);
}

#[tokio::test]
async fn what_hooks_emit_reaches_those_who_subscribed_to_all() {
    let api = new_user().await;
    let listener = listener(&api).await;
    subscribe(&api, "dc_*", "history", &listener.id).await;
    let code = r#"module.exports = {
      name: "historian", version: "0.0.1", run() {},
      hooks: { deploy() { this.$emit("past", { name: "history" }) } },
    };"#;
    deploy(&api, code).await;
    assert_eq!(heard(&listener, 1).await, [json!("past")]);
}

#[tokio::test]
async fn a_deleted_emitter_or_listener_takes_its_subscriptions_with_it() {
    let api = new_user().await;
    let (emitter, listening) = (relay(&api).await, listener(&api).await);
    let (kept, keeper) = (relay(&api).await, listener(&api).await);
    for (from, to) in [(&emitter, &keeper), (&kept, &listening), (&kept, &keeper)] {
        subscribe(&api, &from.id, "", &to.id).await;
    }
    api.delete(&emitter.path("")).await.expect(204);
    api.delete(&listening.path("")).await.expect(204);
    let left = api.get("/users/me/subscriptions").await.ok();
    let left = left.as_array().expect("a list");
    assert_eq!(left.len(), 1, "{left:#?}");
    assert_eq!(left[0]["emitter_id"], kept.id);
    assert_eq!(left[0]["listener_id"], keeper.id);
    kept.send(&json!({ "value": 1 })).await.expect(200);
    assert_eq!(heard(&keeper, 1).await, [json!(1)]);
}

#[tokio::test]
async fn a_listener_that_throws_has_the_event_in_its_errors() {
    let api = new_user().await;
    let relay = relay(&api).await;
    let code = r#"module.exports = {
      name: "thrower", version: "0.0.1", run(event) { throw new Error("no " + event.what) },
    };"#;
    let thrower = deploy(&api, code).await;
    subscribe(&api, &relay.id, "", &thrower.id).await;
    relay
        .send(&json!({ "value": { "what": "thanks" } }))
        .await
        .expect(200);
    let error = &thrower.errors(1).await[0];
    assert_eq!(error["original_event"], json!({ "what": "thanks" }));
    assert_eq!(error["error"]["msg"], "no thanks");
    assert_eq!(error["original_context"]["source_type"], "event");
}
