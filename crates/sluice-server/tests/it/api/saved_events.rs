//! Events for runs by hand, and summaries of deliveries.

use serde_json::{Value, json};
use sluice_testkit::wait_for;

use super::fixtures::{idle_source, refused};
use crate::support::{EMITTER, PATIENCE, deploy, new_user};

#[tokio::test]
async fn events_are_saved_replaced_and_deleted_by_name() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let path = |name: &str| source.path(&format!("/saved_events/{name}"));
    let paid = json!({ "event": { "body": { "paid": true } } });
    let saved = api.put(&path("Paid%20order"), &paid).await.ok();
    assert_eq!(saved["name"], "Paid order");
    assert_eq!(saved["event"], paid["event"]);
    api.put(&path("a%2Fb"), &json!({ "event": null }))
        .await
        .expect(400);
    api.put(&path("a%2Fb"), &json!({ "event": [1] })).await.ok();
    api.put(&path("a%2Fb"), &json!({ "event": [2] })).await.ok();
    let listed = api.get(&source.path("/saved_events")).await.ok();
    let shown: Vec<(&Value, &Value)> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["name"], &one["event"]))
        .collect();
    assert_eq!(
        shown,
        [
            (&json!("Paid order"), &paid["event"]),
            (&json!("a/b"), &json!([2]))
        ]
    );
    api.delete(&path("a%2Fb")).await.expect(204);
    refused(api.delete(&path("a%2Fb")).await, 404);
}

#[tokio::test]
async fn names_sizes_and_the_number_of_saved_events_are_limited() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let path = |name: &str| source.path(&format!("/saved_events/{name}"));
    let one = json!({ "event": 1 });
    for name in ["%20", "%20a", "a%0Ab", &"x".repeat(101)] {
        refused(api.put(&path(name), &one).await, 422);
    }
    let large = json!({ "event": "x".repeat(64 * 1024) });
    refused(api.put(&path("large"), &large).await, 413);
    for number in 0..50 {
        api.put(&path(&number.to_string()), &one).await.ok();
    }
    refused(api.put(&path("50"), &one).await, 409);
    api.put(&path("49"), &json!({ "event": 2 })).await.ok();
}

#[tokio::test]
async fn saved_events_of_others_are_404() {
    let (api, other) = (new_user().await, new_user().await);
    let source = idle_source(&api).await;
    let one = json!({ "event": 1 });
    let path = source.path("/saved_events/a");
    refused(other.put(&path, &one).await, 404);
    refused(other.get(&source.path("/saved_events")).await, 404);
    refused(other.get(&source.path("/last_request")).await, 404);
    api.put(&path, &one).await.ok();
    refused(other.delete(&path).await, 404);
}

#[tokio::test]
async fn workflows_have_saved_events_too() {
    let api = new_user().await;
    let document =
        "name: Saved\nsteps:\n  - name: one\n    code: |\n      module.exports = {\"run\": {}}\n";
    let body = json!({ "document": document });
    let workflow = api.post("/workflows", &body).await.ok();
    let id = workflow["id"].as_str().expect("an id");
    let path = format!("/workflows/{id}/saved_events");
    let event = json!({ "event": { "n": 1 } });
    api.put(&format!("{path}/first"), &event).await.ok();
    let listed = api.get("/workflows/saved/saved_events").await.ok();
    assert_eq!(listed[0]["event"], event["event"]);
    api.delete(&format!("{path}/first")).await.expect(204);
    assert_eq!(api.get(&path).await.ok(), json!([]));
}

#[tokio::test]
async fn the_last_request_of_a_source_can_be_read() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let path = source.path("/last_request");
    assert_eq!(api.get(&path).await.ok(), json!({}));
    source.send(&json!({ "order": 7 })).await.expect(200);
    let request = wait_for(PATIENCE, "the request", async || {
        let request = api.get(&path).await.ok();
        request.get("event").is_some().then_some(request)
    })
    .await;
    assert_eq!(request["event"]["body"], json!({ "order": 7 }));
    assert_eq!(request["event"]["method"], "POST");
    assert!(request["at"].is_i64());
    source.run(json!({ "n": 1 })).await;
    assert_eq!(api.get(&path).await.ok(), request);
    api.delete(&source.path("/events")).await.expect(202);
    assert_eq!(api.get(&path).await.ok(), json!({}));
}

#[tokio::test]
async fn deliveries_have_the_summary_of_their_event() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let webhook = json!({ "url": "http://127.0.0.1:9/" });
    let webhook = api.post("/webhooks", &webhook).await.ok();
    let ends = json!({ "emitter_id": source.id, "listener_id": webhook["id"] });
    api.post("/subscriptions", &ends).await.ok();
    let emits = json!([[{ "n": 1 }, { "summary": "Order 1" }], [{ "n": 2 }]]);
    source.run(json!({ "emits": emits })).await;
    let rows = wait_for(PATIENCE, "two deliveries", async || {
        let page = api.get("/deliveries").await.expect(200);
        let rows = page["data"].as_array().cloned().unwrap_or_default();
        (rows.len() == 2).then_some(rows)
    })
    .await;
    let mut summaries: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["summary"].as_str())
        .collect();
    summaries.sort_unstable();
    assert_eq!(summaries, ["Order 1", "{\"n\":2}"]);
    let id = rows[0]["id"].as_str().expect("an id");
    let one = api.get(&format!("/deliveries/{id}")).await.ok();
    assert_eq!(one["summary"], rows[0]["summary"]);
}
