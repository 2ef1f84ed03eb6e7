//! Deliveries to webhooks.

use serde_json::Value;
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Fixture, NOW, PATIENCE};

#[tokio::test]
async fn deliveries_go_out_in_order_and_are_observed() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::new();
    fixture.webhook(&receiver.url("/"), 300, NOW).await;
    fixture.outbox.start().await.unwrap();
    fixture
        .wait_for("deliveries", &[("delivered", 1); 300])
        .await;
    let bodies: Vec<Value> = receiver.requests().iter().map(|r| r.json()).collect();
    let expected: Vec<Value> = (1..=300).map(Value::from).collect();
    assert_eq!(bodies, expected);
    wait_for(PATIENCE, "the observer", async || {
        (fixture.observed() == (300, 0)).then_some(())
    })
    .await;
    // The worker leaves when its queue is empty, and the journal has nothing for the next start.
    wait_for(PATIENCE, "the worker to leave", async || {
        fixture.outbox.is_idle().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_is_gone_gets_nothing_more_until_its_webhook_is_changed() {
    // So many that the next rows are read while these are sent.
    const COUNT: usize = 400;
    const GONE: usize = 150;
    let receiver = Receiver::start(|request| match request.number {
        GONE => Answer::status(410),
        _ => Answer::status(200),
    });
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), COUNT, NOW).await;
    fixture.outbox.start().await.unwrap();
    let states = |then| {
        let mut states = vec![("delivered", 1); GONE - 1];
        states.push(("failed", 1));
        states.resize(COUNT, then);
        states
    };
    fixture
        .wait_for("deliveries", &states(("pending", 0)))
        .await;
    assert_eq!(receiver.count(), GONE);
    let sql = "UPDATE webhooks SET active = TRUE";
    fixture.write(|c| c.execute(sql, &[]).map(|_| ())).await;
    fixture.outbox.webhook_changed(&webhook);
    fixture
        .wait_for("deliveries", &states(("delivered", 1)))
        .await;
    assert_eq!(receiver.count(), COUNT);
}

#[tokio::test]
async fn a_pause_keeps_the_order_of_a_backlog() {
    // So many that the next rows are read while these are sent.
    const COUNT: usize = 400;
    const PAUSED: usize = 150;
    let receiver = Receiver::start(|request| match request.number {
        PAUSED => Answer::status(429).header("retry-after", "0"),
        _ => Answer::status(200),
    });
    let fixture = Fixture::new();
    fixture.webhook(&receiver.url("/"), COUNT, NOW).await;
    fixture.outbox.start().await.unwrap();
    fixture
        .wait_for("deliveries", &[("delivered", 1); COUNT])
        .await;
    let bodies: Vec<Value> = receiver.requests().iter().map(|r| r.json()).collect();
    let expected: Vec<Value> = (1..=PAUSED)
        .chain(PAUSED..=COUNT)
        .map(Value::from)
        .collect();
    assert_eq!(bodies, expected);
}
