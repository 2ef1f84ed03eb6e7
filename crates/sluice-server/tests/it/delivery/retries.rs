//! What fails is tried again, as the schedule and the receiver say, and what came of it is kept.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    webhook::{attempts, bodies},
};

use super::fixtures::Emitter;

#[tokio::test]
async fn a_delivery_that_fails_is_tried_again_under_the_same_id_and_each_attempt_is_kept() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500).body("first\0 no"),
        2 => Answer::Close,
        _ => Answer::status(201).body("yes"),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!({ "n": 1 })]).await;
    let row = webhook.wait_for(&["delivered"]).await.remove(0);

    assert_eq!(
        attempts(&row, "status"),
        [&json!(500), &Value::Null, &json!(201)]
    );
    assert_eq!(
        attempts(&row, "response"),
        [&json!("first no"), &Value::Null, &json!("yes")]
    );
    let errors = attempts(&row, "error");
    assert_eq!(errors[0], "the webhook answered 500 Internal Server Error");
    assert!(errors[1].is_string() && errors[2].is_null(), "{errors:?}");
    assert!(attempts(&row, "at").iter().all(|at| at.is_i64()));
    assert!(attempts(&row, "latency_ms").iter().all(|ms| ms.is_u64()));
    assert!(row["next_attempt_at"].is_null());

    let requests = receiver.requests();
    assert_eq!(requests.len(), 3);
    for (request, next) in requests.iter().zip(&requests[1..]) {
        assert_eq!(request.header("webhook-id"), next.header("webhook-id"));
        assert_eq!(request.body, next.body);
        let pause = next.received_at - request.received_at;
        assert!(pause >= Duration::from_millis(200), "{pause:?}");
    }
}

#[tokio::test]
async fn after_the_last_retry_a_delivery_has_failed_and_a_replay_makes_it_anew() {
    let receiver = Receiver::start(|request| match request.number {
        1..=3 => Answer::status(404),
        _ => Answer::status(204),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!(1)]).await;
    let row = webhook.wait_for(&["failed"]).await.remove(0);
    assert_eq!(attempts(&row, "status"), [404, 404, 404]);
    assert!(row["next_attempt_at"].is_null());

    let id = row["id"].as_str().expect("an id");
    let replay = format!("/deliveries/{id}/replay");
    webhook.api.post(&replay, &json!({})).await.ok();
    let row = webhook.wait_for(&["delivered"]).await.remove(0);
    assert_eq!(attempts(&row, "status"), [404, 404, 404, 204]);
    let requests = receiver.requests();
    assert_eq!(requests.len(), 4);
    assert!(
        requests
            .iter()
            .all(|request| request.header("webhook-id") == Some(id))
    );
}

#[tokio::test]
async fn retry_after_takes_the_place_of_the_schedule() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500).header("retry-after", "2"),
        _ => Answer::status(200),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!(1)]).await;
    webhook.wait_for(&["delivered"]).await;
    let requests = receiver.requests();
    let pause = requests[1].received_at - requests[0].received_at;
    assert!(pause >= Duration::from_secs(2), "{pause:?}");
}

#[tokio::test]
async fn a_receiver_that_asks_for_a_pause_gets_it_in_full_and_then_everything_in_order() {
    let receiver = Receiver::start(|request| match request.number {
        2 => Answer::status(429).header("retry-after", "1"),
        3..=6 => Answer::status(503).header("retry-after", "1"),
        _ => Answer::status(200),
    });
    // More often than there are retries, which are not used up by it.
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit_numbers(4).await;
    let rows = webhook.wait_for(&["delivered"; 4]).await;
    assert_eq!(
        bodies(&receiver, "/"),
        [1, 2, 2, 2, 2, 2, 2, 3, 4].map(Value::from)
    );
    let requests = receiver.requests();
    for (asked, next) in requests[1..6].iter().zip(&requests[2..]) {
        let pause = next.received_at - asked.received_at;
        assert!(pause >= Duration::from_secs(1), "{pause:?}");
    }
    assert_eq!(attempts(&rows[1], "status"), [429, 503, 503, 503, 503, 200]);
}

#[tokio::test]
async fn a_receiver_that_is_gone_deactivates_its_webhook_and_the_rest_waits() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(410).body("moved away"),
        _ => Answer::status(200),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit_numbers(3).await;
    let rows = webhook.wait_for(&["failed", "pending", "pending"]).await;
    assert_eq!(attempts(&rows[0], "status"), [410]);
    let shown = webhook.api.get(&webhook.path("")).await.ok();
    assert_eq!(shown["active"], false);
    assert_eq!(receiver.count(), 1);
    let log = webhook.api.get("/audit?action=webhook").await.expect(200);
    let entry = &log["data"][0];
    assert_eq!(
        (&entry["action"], &entry["actor"]["credential"]),
        (&json!("webhook.deactivate"), &json!("server"))
    );
    assert_eq!(entry["target"]["id"], shown["id"]);

    webhook.update(json!({ "active": true })).await;
    webhook
        .wait_for(&["failed", "delivered", "delivered"])
        .await;
    assert_eq!(bodies(&receiver, "/"), [1, 2, 3].map(Value::from));
}
