//! Examples whose work is done by sources.

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Delivery},
    wait_for,
};

use super::{bodies, fine, stage::Stage};
use crate::support::{PATIENCE, server_as_it_comes};

/// Waits until the source with this slug has so many events. Returns them, oldest first.
async fn events(stage: &Stage, slug: &str, count: usize) -> Vec<Value> {
    let sources = stage.api.get("/users/me/sources").await.ok();
    let sources = sources.as_array().expect("sources");
    let source = sources.iter().find(|source| source["name_slug"] == slug);
    let id = source.expect("the source")["id"].as_str().expect("an id");
    let path = format!("/sources/{id}/event_summaries?expand=event");
    let summaries = wait_for(PATIENCE, "the events", async || {
        let summaries = stage.api.get(&path).await.ok();
        let summaries = summaries.as_array().expect("events").clone();
        (summaries.len() >= count).then_some(summaries)
    });
    let summaries = summaries.await.into_iter().rev();
    summaries.map(|summary| summary["event"].clone()).collect()
}

#[tokio::test]
async fn signed_webhook_emits_each_genuine_delivery_once() {
    let mut stage = Stage::start("signed-webhook", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let genuine = json!({ "action": "opened", "number": 7 });
    assert_eq!(events(&stage, "signed-webhook", 1).await, [genuine]);
}

fn issue(id: u32, title: &str, updated_at: &str) -> Value {
    json!({ "id": id, "title": title, "updated_at": updated_at })
}

/// An API with two issues on two pages, of which one has changed at the second poll.
fn issues(request: &Delivery) -> Answer {
    let first = issue(1, "It does not start", "2026-11-02T09:00:00Z");
    let second = issue(2, "It does not stop", "2026-11-03T10:00:00Z");
    let changed = issue(1, "It does not start at all", "2026-11-04T11:00:00Z");
    let page = match &*request.path {
        "/issues?since=1970-01-01T00%3A00%3A00Z" => {
            json!({ "issues": [first], "next": "/issues?page=2" })
        }
        "/issues?page=2" => json!({ "issues": [second] }),
        "/issues?since=2026-11-03T10%3A00%3A00Z" => json!({ "issues": [second, changed] }),
        _ => return Answer::status(404),
    };
    Answer::status(200).body(page.to_string())
}

#[tokio::test]
async fn poll_with_state_emits_what_is_new_since_the_last_poll() {
    let mut stage = Stage::start("poll-with-state", server_as_it_comes(), issues).await;
    stage.run_all().await;
    let events = events(&stage, "issues", 3).await;
    let titles: Vec<_> = events.iter().map(|event| &event["title"]).collect();
    assert_eq!(
        titles,
        [
            "It does not start",
            "It does not stop",
            "It does not start at all"
        ]
    );
    assert_eq!(stage.outside.count(), 3);
}

#[tokio::test]
async fn join_sources_emits_an_order_when_both_have_come() {
    let mut stage = Stage::start("join-sources", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let joined = json!({ "order": "o-1", "customer": "Ada", "amount": 42 });
    assert_eq!(events(&stage, "paid-orders", 1).await, [joined]);
}

#[tokio::test]
async fn fan_out_gives_every_webhook_its_events_with_a_signature() {
    let mut stage = Stage::start("fan-out", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let requests = stage.outside.wait_for(3).await;
    let ids = |path: &str| -> Vec<Value> {
        let bodies = bodies(&requests, path).into_iter();
        bodies.map(|body| body["id"].clone()).collect()
    };
    assert_eq!(ids("/accounting"), ["o-1", "o-2"]);
    assert_eq!(ids("/sales"), ["o-2"]);
    for request in &requests {
        let signature = request.header("webhook-signature");
        assert!(signature.is_some_and(|text| text.starts_with("v1,")));
    }
    // The receiver of the example accepts what was sent to it, and so has verified its signature.
    let webhooks = stage.api.get("/users/me/webhooks").await.ok();
    let webhooks = webhooks.as_array().expect("webhooks").iter();
    let here = webhooks
        .into_iter()
        .find(|webhook| webhook["name"] == "here");
    let id = here.expect("the webhook")["id"].as_str().expect("an id");
    let delivered = wait_for(PATIENCE, "deliveries", async || {
        let path = format!("/webhooks/{id}/deliveries");
        let deliveries = stage.api.get(&path).await.ok();
        let deliveries = deliveries.as_array().expect("deliveries").clone();
        let is_done = |delivery: &Value| delivery["state"] == "delivered";
        (deliveries.len() == 2 && deliveries.iter().all(is_done)).then_some(deliveries)
    });
    delivered.await;
}

#[tokio::test]
async fn uploads_puts_files_into_the_storage() {
    let mut stage = Stage::start("uploads", server_as_it_comes(), fine).await;
    stage.run_all().await;
    let [request] = &stage.outside.requests()[..] else {
        panic!("one file is stored");
    };
    assert_eq!(request.method, "PUT");
    assert!(request.path.starts_with("/files/"), "{}", request.path);
    assert_eq!(
        request.header("authorization"),
        Some("Bearer storage-token")
    );
    assert_eq!(request.header("content-type"), Some("text/csv"));
    assert_eq!(request.body, "day,visits\n1,20\n");
}
