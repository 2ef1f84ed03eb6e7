//! A circuit breaker that is open outlives its node.

use std::time::Duration;

use sluice_store::query_opt;
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Fixture, NOW, PATIENCE};

/// Failures in a row that open a breaker.
const FAILURES: usize = 5;
/// Much less than the breaker is open.
const A_WHILE: Duration = Duration::from_secs(2);

async fn saved(fixture: &Fixture) -> Option<String> {
    let sql = "SELECT breakers FROM queue_claims";
    let read = fixture.infra.store.read(|c| query_opt(c, sql, &[]));
    read.await.unwrap().flatten()
}

async fn until_saved(fixture: &Fixture, is_open: bool) {
    wait_for(PATIENCE, "the breaker to be saved", async || {
        (saved(fixture).await.is_some() == is_open).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_next_node_waits_for_the_pause_and_sends_one_probe() {
    let receiver = Receiver::start(|request| match request.number {
        1..=FAILURES => Answer::status(500),
        _ => Answer::status(200),
    });
    let first = Fixture::node().await;
    let second = first.another_node().await;
    let webhook = first.webhook(&receiver.url("/"), FAILURES, NOW).await;
    first.outbox.wake_webhook(&webhook);
    first
        .wait_for("deliveries", &[("pending", 1); FAILURES])
        .await;
    until_saved(&first, true).await;
    assert!(first.infra.shutdown.drain(PATIENCE).await);
    first.outbox.release().await.unwrap();

    // The retries are due, but for the breaker.
    second.clock.advance(1_000);
    second.outbox.start().await.unwrap();
    tokio::time::sleep(A_WHILE).await;
    let owner = Some("second".to_owned());
    assert_eq!(second.claims().await, [(webhook.to_string(), owner)]);
    assert_eq!(receiver.count(), FAILURES);

    second
        .wait_for("deliveries", &[("delivered", 2); FAILURES])
        .await;
    until_saved(&second, false).await;
}

#[tokio::test]
async fn a_changed_webhook_closes_the_breaker() {
    let receiver = Receiver::start(|request| match request.number {
        1..=FAILURES => Answer::status(500),
        _ => Answer::status(200),
    });
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), FAILURES, NOW).await;
    fixture.outbox.start().await.unwrap();
    fixture
        .wait_for("deliveries", &[("pending", 1); FAILURES])
        .await;
    until_saved(&fixture, true).await;
    fixture.clock.advance(1_000);
    fixture.outbox.webhook_changed(&webhook);
    until_saved(&fixture, false).await;
    fixture
        .wait_for("deliveries", &[("delivered", 2); FAILURES])
        .await;
}

#[tokio::test]
async fn the_breakers_of_an_empty_queue_are_closed() {
    let receiver = Receiver::start(|_| Answer::status(500));
    let fixture = Fixture::new();
    fixture.webhook(&receiver.url("/"), FAILURES, NOW).await;
    fixture.outbox.start().await.unwrap();
    until_saved(&fixture, true).await;
    let sql = "UPDATE deliveries SET state = 'failed', due_at = NULL";
    fixture.write(|c| c.execute(sql, &[]).map(|_| ())).await;
    // After the pause the worker finds nothing.
    fixture.is_idle().await;
    assert_eq!(saved(&fixture).await, None);
}
