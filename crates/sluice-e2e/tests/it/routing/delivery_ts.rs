//! `delivery_ts` holds an event until its time: it is listed until then, and deleting it cancels it.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Server, now_ms, wait_for};

use super::fixtures::{heard, listener, relay, subscribe};
use crate::support::{Deployed, PATIENCE, deploy, new_user, new_user_on, own_server};

fn in_ms(ms: i64) -> i64 {
    now_ms() + ms
}

async fn listed(source: &Deployed, name: &str) -> Vec<Value> {
    let path = source.path(&format!("/event_summaries?event_name={name}"));
    let page = source.api.get(&path).await.expect(200);
    page["data"].as_array().cloned().unwrap_or_default()
}

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test]
async fn a_held_event_is_listed_at_once_and_delivered_at_its_time(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    for name in ["later", "now"] {
        subscribe(&api, &relay.id, name, &listener.id).await;
    }
    let due = in_ms(4000);
    let later = json!({ "name": "later", "value": "later", "delivery_ts": due });
    relay.send(&later).await.expect(200);
    let held = wait_for(PATIENCE, "the held event", async || {
        listed(&relay, "later").await.pop()
    });
    let held = held.await;
    assert_eq!(held["event"], "later");
    assert_eq!(held["metadata"]["delivery_ts"], due);
    relay
        .send(&json!({ "name": "now", "value": "now" }))
        .await
        .expect(200);
    assert_eq!(heard(&listener, 2).await, [json!("now"), json!("later")]);
    assert!(in_ms(0) >= due);
    let delivered = listed(&relay, "later").await;
    assert_eq!(delivered.len(), 1);
    assert_eq!(
        delivered[0]["metadata"]["emit_id"],
        held["metadata"]["emit_id"]
    );
    // It has its place among the others by when it was delivered.
    let at = delivered[0]["indexed_at_ms"].as_i64().expect("a time");
    assert!(at >= due, "{at} {due}");
}

#[tokio::test]
async fn a_held_event_that_is_deleted_is_never_delivered() {
    let api = new_user().await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    subscribe(&api, &relay.id, "", &listener.id).await;
    for (value, ahead) in [("cancelled", 4000), ("kept", 4500)] {
        let body = json!({ "value": value, "delivery_ts": in_ms(ahead) });
        relay.send(&body).await.expect(200);
    }
    relay.events(2).await;
    let first = relay.summaries().await.pop().expect("two events");
    assert_eq!(first["event"], "cancelled");
    let id = first["id"].as_str().expect("an id");
    let path = relay.path(&format!("/events?start_id={id}&end_id={id}"));
    api.delete(&path).await.expect(202);
    assert_eq!(heard(&listener, 1).await, [json!("kept")]);
    assert_eq!(relay.events(1).await, [json!("kept")]);
}

#[tokio::test]
async fn a_time_that_has_passed_holds_nothing() {
    let api = new_user().await;
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    subscribe(&api, &relay.id, "", &listener.id).await;
    for past in [0, -5, in_ms(-1000)] {
        relay
            .send(&json!({ "value": past, "delivery_ts": past }))
            .await
            .expect(200);
    }
    assert_eq!(heard(&listener, 3).await.len(), 3);
}

#[tokio::test]
async fn a_time_that_is_none_or_too_far_away_is_an_error_of_the_component() {
    let api = new_user().await;
    let source = deploy(
        &api,
        r#"module.exports = {
          name: "dreamer", version: "0.0.1",
          run(event) {
            const delivery_ts = event.far ? Date.now() + 400 * 24 * 3600 * 1000 : "tomorrow";
            this.$emit(1, { delivery_ts });
          },
        };"#,
    )
    .await;
    source.run(json!({ "far": false })).await;
    let error = source.errors(1).await.remove(0);
    assert_eq!(error["error"]["code"], "TypeError");
    source.run(json!({ "far": true })).await;
    let error = source.errors(2).await.remove(1);
    assert_eq!(error["error"]["code"], "RangeError");
    assert!(source.summaries().await.is_empty());
}

#[tokio::test]
async fn a_held_event_survives_a_kill_and_is_delivered_once_when_its_time_passed_meanwhile() {
    let mut server = Server::start(own_server()).await;
    let api = server.api();
    let (relay, listener) = (relay(&api).await, listener(&api).await);
    subscribe(&api, &relay.id, "", &listener.id).await;
    let due = in_ms(700);
    relay
        .send(&json!({ "value": "held", "delivery_ts": due }))
        .await
        .expect(200);
    relay.events(1).await;
    server.kill9();
    // Its time passes while no server is there.
    wait_for(PATIENCE, "its time", async || {
        (in_ms(0) > due).then_some(())
    })
    .await;
    server.restart().await;
    assert_eq!(heard(&listener, 1).await, [json!("held")]);
    relay.send(&json!({ "value": "next" })).await.expect(200);
    assert_eq!(heard(&listener, 2).await[1], "next");
}

#[tokio::test]
async fn held_events_are_not_pruned() {
    let options = own_server().arg("--event-retention").arg("5");
    let server = Server::start(options).await;
    let api = server.api();
    let code = r#"module.exports = {
      name: "flood", version: "0.0.1", props: { http: "$.interface.http" },
      run(event) {
        this.$emit("held", { name: "held", delivery_ts: Date.now() + 3600 * 1000 });
        for (let n = 0; n < 3000; n += 1) this.$emit(n);
      },
    };"#;
    let flood = deploy(&api, code).await;
    flood.send(&json!({})).await.expect(200);
    let kept = async || {
        let page = api.get(&flood.path("/event_summaries")).await.expect(200);
        page["page_info"]["total_count"].as_u64().expect("a count")
    };
    wait_for(Duration::from_secs(30), "pruning", async || {
        (1..=6).contains(&kept().await).then_some(())
    })
    .await;
    assert_eq!(listed(&flood, "held").await.len(), 1);
}
