//! What a receiver can cost: time, bytes, connections and space.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
    wait_for,
    webhook::{attempts, bodies},
};

use super::fixtures::{Emitter, SOON, custom_server, server};
use crate::support::PATIENCE;

#[tokio::test]
async fn an_answer_that_takes_too_long_is_a_failure() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::Hang,
        _ => Answer::status(200),
    });
    let server = custom_server(&[SOON], |settings| {
        settings.webhook_timeout = Duration::from_secs(1);
    })
    .await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!(1)]).await;
    let rows = webhook.wait_for(&["delivered"]).await;
    assert_eq!(attempts(&rows[0], "error")[0], "no answer within 1s");
    assert_eq!(attempts(&rows[0], "status"), [&Value::Null, &json!(200)]);
    let requests = receiver.requests();
    let pause = requests[1].received_at - requests[0].received_at;
    assert!(pause >= Duration::from_secs(1) + SOON, "{pause:?}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/from" => Answer::status(302).header("location", "/to"),
        _ => Answer::status(200),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/from")).await;
    emitter.emit([json!(1)]).await;
    let rows = webhook.wait_for(&["failed"]).await;
    assert_eq!(
        attempts(&rows[0], "error")[0],
        "the webhook answered 302 Found: redirects are not followed"
    );
    assert_eq!(bodies(&receiver, "/to"), [] as [Value; 0]);
}

#[tokio::test]
async fn of_a_large_answer_the_beginning_is_kept() {
    let receiver = Receiver::start(|_| Answer::status(200).body("ä".repeat(5_000_000)));
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit_numbers(2).await;
    let rows = webhook.wait_for(&["delivered", "delivered"]).await;
    for row in &rows {
        assert_eq!(attempts(row, "response"), [&json!("ä".repeat(1_000))]);
    }
}

#[tokio::test]
async fn large_events_are_delivered_whole_and_in_order() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let server = custom_server(&[SOON], |settings| settings.max_api_body = 3_000_000).await;
    let emitter = Emitter::on(&server).await;
    emitter.webhook(&receiver.url("/")).await;
    let event = |n: u64| json!({ "n": n, "text": "x".repeat(2_000_000) });
    for n in 0..4 {
        emitter.emit([event(n)]).await;
    }
    let requests = receiver.wait_for(4).await;
    for (request, n) in requests.iter().zip(0..) {
        assert!(request.json() == event(n), "event {n} is another");
    }
}

#[tokio::test]
async fn only_so_many_deliveries_are_under_way_at_once_on_the_whole_server() {
    const ANSWER_TIME: Duration = Duration::from_secs(1);
    let receiver = Receiver::start(|_| Answer::status(200).after(ANSWER_TIME));
    let server = custom_server(&[SOON], |settings| settings.max_deliveries = 2).await;
    let emitter = Emitter::on(&server).await;
    for path in ["/a", "/b", "/c"] {
        emitter.webhook(&receiver.url(path)).await;
    }
    emitter.emit([json!(1)]).await;
    let requests = receiver.wait_for(3).await;
    let pause = requests[2].received_at - requests[0].received_at;
    assert!(pause >= ANSWER_TIME, "{pause:?}");
}

#[tokio::test]
async fn a_thousand_webhooks_get_an_event() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let server = server(&[Duration::from_secs(1)]).await;
    let emitter = Emitter::on(&server).await;
    let urls = (0..1_000).map(|n| receiver.url(&format!("/{n}")));
    let webhooks = urls.map(async |url| emitter.webhook(&url).await);
    let created = stream::iter(webhooks).buffer_unordered(8);
    assert_eq!(created.count().await, 1_000);
    emitter.emit([json!("to all")]).await;
    let mut paths: Vec<String> = receiver
        .wait_for(1_000)
        .await
        .into_iter()
        .map(|request| request.path)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), 1_000, "some got it twice");
}

#[tokio::test]
async fn finished_deliveries_beyond_retention_are_forgotten_and_the_newest_kept() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let server = custom_server(&[SOON], |settings| settings.delivery_retention = 3).await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    for n in 1..=10 {
        emitter.emit([json!(n)]).await;
        receiver.wait_for(n).await;
    }
    let kept =
        |rows: &[Value]| rows.len() == 3 && rows.iter().all(|row| row["state"] == "delivered");
    let rows = webhook.wait_until("three deliveries", kept).await;
    let id = rows[2]["id"].as_str().expect("an id");
    let newest = webhook.api.get(&format!("/deliveries/{id}")).await.ok();
    assert_eq!(newest["event"], 10);
}

#[tokio::test]
async fn deliveries_are_counted() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/bad" => Answer::status(500),
        _ => Answer::status(200),
    });
    let server = server(&[SOON]).await;
    let emitter = Emitter::on(&server).await;
    emitter.webhook(&receiver.url("/good")).await;
    let bad = emitter.webhook(&receiver.url("/bad")).await;
    emitter.emit([json!(1)]).await;
    bad.wait_for(&["failed"]).await;
    let expected = [
        "sluice_deliveries_total{result=\"ok\"} 1",
        "sluice_deliveries_total{result=\"error\"} 2",
        "sluice_deliveries_failed_total 1",
        "sluice_delivery_seconds_count 1",
    ];
    wait_for(PATIENCE, "the metrics to agree", async || {
        let metrics = emitter.api.root(Method::GET, "/metrics").send().await.text;
        let found = |line: &&str| metrics.lines().any(|found| found == *line);
        expected.iter().all(found).then_some(())
    })
    .await;
}
