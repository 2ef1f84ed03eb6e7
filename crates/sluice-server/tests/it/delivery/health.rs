//! A failing webhook looks failing everywhere, and a retry is made at once and shows its result.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
    webhook::attempts,
};

use super::fixtures::{Emitter, server};
use crate::support::PATIENCE;

/// A retry by the schedule comes after the test.
const LATE: Duration = Duration::from_hours(2);

struct Line {
    emitter: Emitter,
    receiver: Receiver,
    webhook: sluice_testkit::webhook::Webhook,
    status: Arc<AtomicU16>,
}

impl Line {
    async fn failing() -> Line {
        let status = Arc::new(AtomicU16::new(500));
        let answer = Arc::clone(&status);
        let receiver = Receiver::start(move |_| Answer::status(answer.load(Ordering::SeqCst)));
        let server = server(&[LATE; 2]).await;
        let emitter = Emitter::on(&server).await;
        let webhook = emitter.webhook(&receiver.url("/")).await;
        let healthy = webhook.api.get(&webhook.path("")).await.ok();
        assert_eq!(healthy["health"]["status"], "healthy");
        emitter.emit_numbers(1).await;
        Line {
            emitter,
            receiver,
            webhook,
            status,
        }
    }

    /// Waits until the webhook has a status, and returns its health.
    async fn until(&self, status: &str) -> Value {
        wait_for(PATIENCE, status, async || {
            let webhook = self.webhook.api.get(&self.webhook.path("")).await.ok();
            (webhook["health"]["status"] == status).then(|| webhook["health"].clone())
        })
        .await
    }

    async fn retry(&self) -> Value {
        let path = self.webhook.path("/retry");
        self.webhook.api.post(&path, &json!({})).await.ok()
    }
}

#[tokio::test]
async fn the_first_failure_and_the_pause_show_in_every_view() {
    let line = Line::failing().await;
    let failing = line.until("failing").await;
    assert_eq!(
        failing["error"],
        "the webhook answered 500 Internal Server Error"
    );
    let since = failing["failing_since"].as_i64().unwrap();
    let next = failing["next_attempt_at"].as_i64().unwrap();
    assert!(next - since > 3_600_000, "{failing}");

    line.emitter.emit_numbers(5).await;
    let paused = line.until("paused").await;
    assert_eq!(paused["failing_since"], since);
    // One delivery waits that was not attempted: it is the probe.
    let next = paused["next_attempt_at"].as_i64().unwrap();
    assert!((1..60_000).contains(&(next - since)), "{paused}");

    let api = &line.webhook.api;
    let page = api.get("/users/me/webhooks").await.expect(200);
    assert_eq!(page["data"][0]["health"], paused);
    let overview = api.get("/users/me/overview").await.ok();
    let tally = json!({ "active": 1, "failing": 1, "paused": 1 });
    assert_eq!(overview["webhooks"], tally);
    assert_eq!(overview["failing_webhooks"][0]["id"], line.webhook.id);
    assert_eq!(overview["failing_webhooks"][0]["health"], paused);
    let flow = api.get("/users/me/flow").await.ok();
    let nodes = flow["nodes"].as_array().unwrap();
    let node = |kind: &str| nodes.iter().find(|node| node["kind"] == kind).unwrap();
    assert_eq!(node("webhook")["health"], paused);
    assert_eq!(node("source")["health"], json!(null));
}

#[tokio::test]
async fn a_retry_is_made_during_the_pause_and_a_success_sends_everything() {
    let line = Line::failing().await;
    line.emitter.emit_numbers(5).await;
    line.until("paused").await;
    assert_eq!(line.receiver.count(), 5);

    let failed = line.retry().await;
    assert_eq!(failed["attempt"]["status"], 500);
    assert!(failed["attempt"]["latency_ms"].is_u64(), "{failed}");
    assert_eq!(failed["state"], "pending");
    assert_eq!(line.receiver.count(), 6);
    line.until("paused").await;

    line.status.store(204, Ordering::SeqCst);
    let sent = line.retry().await;
    assert_eq!(sent["attempt"]["status"], 204);
    assert_eq!(sent["attempt"]["error"], json!(null));
    assert_eq!(sent["state"], "delivered");
    line.until("healthy").await;
    // Those whose retry was hours away too.
    let rows = line.webhook.wait_for(&["delivered"; 6]).await;
    assert_eq!(attempts(&rows[5], "status"), [&json!(204)]);
}

#[tokio::test]
async fn a_retry_needs_a_webhook_that_is_active_and_a_delivery_that_waits() {
    let line = Line::failing().await;
    line.until("failing").await;
    line.status.store(200, Ordering::SeqCst);
    line.retry().await;
    let api = &line.webhook.api;
    let path = line.webhook.path("/retry");
    let error = api.post(&path, &json!({})).await.expect(409)["error"].to_string();
    assert!(error.contains("nothing waits"), "{error}");
    line.webhook.update(json!({ "active": false })).await;
    let error = api.post(&path, &json!({})).await.expect(409)["error"].to_string();
    assert!(error.contains("inactive"), "{error}");
    api.post("/webhooks/wh_none/retry", &json!({}))
        .await
        .expect(404);
}

#[tokio::test]
async fn a_new_address_and_a_receiver_that_is_gone_show_as_they_are() {
    let line = Line::failing().await;
    line.until("failing").await;
    let url = format!("{}other", line.receiver.url("/"));
    line.webhook.update(json!({ "name": "same" })).await;
    line.until("failing").await;
    line.status.store(410, Ordering::SeqCst);
    line.webhook.update(json!({ "url": url })).await;
    line.until("healthy").await;
    line.emitter.emit_numbers(1).await;
    let gone = line.until("inactive").await;
    assert!(gone["error"].to_string().contains("410"), "{gone}");
    assert_eq!(gone["next_attempt_at"], json!(null));
}
