//! A failing webhook looks failing at once, and users can try it while its circuit breaker pauses.

use sluice_model::{DeliveryId, WebhookId};
use sluice_store::{
    deliveries::Attempt,
    delivery_history,
    webhook_health::{self, FailingWebhook},
};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Fixture, NOW, PATIENCE};

/// Failures in a row that open a breaker.
const FAILURES: usize = 5;

async fn health(fixture: &Fixture, webhook: &WebhookId) -> Option<FailingWebhook> {
    let ids = [webhook.clone()];
    let read = fixture
        .infra
        .store
        .read(move |c| webhook_health::failing(c, &ids));
    read.await.unwrap().remove(webhook)
}

async fn next_pending(fixture: &Fixture, webhook: &WebhookId) -> DeliveryId {
    let webhook = webhook.clone();
    let read = fixture
        .infra
        .store
        .read(move |c| delivery_history::next_pending(c, &webhook));
    read.await.unwrap().unwrap()
}

/// Asks for an attempt as the API does.
async fn attempt(fixture: &Fixture, webhook: &WebhookId, id: &DeliveryId) -> Option<Attempt> {
    let permit = fixture.outbox.permit_attempt().unwrap();
    let (delivery, due_at) = (id.clone(), permit.due_at);
    fixture
        .write(move |c| delivery_history::replay(c, &delivery, due_at, NOW))
        .await;
    let attempt = fixture.outbox.attempt_now(permit, webhook, id, None);
    attempt.await.unwrap()
}

#[tokio::test]
async fn it_fails_with_the_first_failure_pauses_with_its_breaker_and_works_with_a_success() {
    let receiver = Receiver::start(|request| match request.number {
        1..=FAILURES => Answer::status(500),
        _ => Answer::status(200),
    });
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), 1, NOW).await;
    assert_eq!(health(&fixture, &webhook).await, None);
    fixture.outbox.start().await.unwrap();
    fixture.wait_for("deliveries", &[("pending", 1)]).await;
    let first = health(&fixture, &webhook).await.unwrap();
    assert_eq!((first.since, first.open_until), (NOW, None));
    assert!(first.error.contains("500"), "{first:?}");
    // The retry follows 100 ms later, with jitter.
    let retry = first.next_due.unwrap() - NOW;
    assert!((50..=200).contains(&retry), "{retry}");

    fixture.clock.advance(10);
    fixture.deliveries(&webhook, FAILURES - 1, NOW).await;
    fixture.outbox.wake_webhook(&webhook);
    let paused = wait_for(PATIENCE, "the breaker to open", async || {
        let health = health(&fixture, &webhook).await?;
        health.open_until.is_some().then_some(health)
    });
    let paused = paused.await;
    assert_eq!(paused.since, NOW);
    assert!(paused.open_until > Some(NOW + 3_000), "{paused:?}");

    // A wake-up changes nothing: this is what the breaker is for.
    fixture.clock.advance(1_000);
    fixture.outbox.wake_webhook(&webhook);
    assert_eq!(receiver.count(), FAILURES);
    let first = next_pending(&fixture, &webhook).await;
    let attempt = attempt(&fixture, &webhook, &first).await.unwrap();
    assert_eq!((attempt.status, attempt.error), (Some(200), None));
    assert_eq!(health(&fixture, &webhook).await, None);
    wait_for(PATIENCE, "all to be delivered", async || {
        let states = fixture.states("deliveries").await;
        let delivered = |(state, _): &(String, u32)| state == "delivered";
        states.iter().all(delivered).then_some(())
    })
    .await;
    assert_eq!(receiver.count(), 2 * FAILURES);
}

#[tokio::test]
async fn an_attempt_that_fails_is_retried_and_leaves_the_pause_as_it_is() {
    let receiver = Receiver::start(|_| Answer::status(503));
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), FAILURES, NOW).await;
    fixture.outbox.start().await.unwrap();
    let until = wait_for(PATIENCE, "the breaker to open", async || {
        health(&fixture, &webhook).await?.open_until
    })
    .await;
    let id = next_pending(&fixture, &webhook).await;
    let made = attempt(&fixture, &webhook, &id).await.unwrap();
    assert_eq!(made.status, Some(503));
    assert_eq!(receiver.count(), FAILURES + 1);
    let health = health(&fixture, &webhook).await.unwrap();
    assert_eq!(health.open_until, Some(until));
    assert_eq!(
        fixture.states("deliveries").await,
        vec![("pending".to_owned(), 1); FAILURES]
    );
}

#[tokio::test]
async fn a_delivery_of_an_attempt_that_no_node_finishes_becomes_due_again() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), 1, NOW).await;
    let id = next_pending(&fixture, &webhook).await;
    let permit = fixture.outbox.permit_attempt().unwrap();
    let due_at = permit.due_at;
    fixture
        .write(move |c| delivery_history::replay(c, &id, due_at, NOW))
        .await;
    // The node dies here.
    fixture.outbox.start().await.unwrap();
    fixture.clock.advance(due_at - NOW);
    fixture.outbox.wake_webhook(&webhook);
    fixture.wait_for("deliveries", &[("delivered", 1)]).await;
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn a_node_without_its_lease_makes_no_attempt() {
    let fixture = Fixture::without_lease();
    assert!(fixture.outbox.permit_attempt().is_none());
}

#[tokio::test]
async fn every_node_sees_the_failure_and_can_end_it() {
    let receiver = Receiver::start(|request| match request.number {
        1..=FAILURES => Answer::status(500),
        _ => Answer::status(200),
    });
    let first = Fixture::node().await;
    let second = first.another_node().await;
    let webhook = first.webhook(&receiver.url("/"), FAILURES, NOW).await;
    first.outbox.wake_webhook(&webhook);
    wait_for(PATIENCE, "the breaker to open", async || {
        health(&second, &webhook).await?.open_until
    })
    .await;
    let id = next_pending(&second, &webhook).await;
    let made = attempt(&second, &webhook, &id).await.unwrap();
    assert_eq!(made.status, Some(200));
    assert_eq!(health(&first, &webhook).await, None);
}
