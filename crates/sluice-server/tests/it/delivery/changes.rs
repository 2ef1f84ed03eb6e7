//! A webhook that is changed while it is sent to: what it was is sent nothing more.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    webhook::bodies,
};

use super::fixtures::Emitter;

const EVENTS: usize = 20;

fn slow() -> Receiver {
    Receiver::start(|_| Answer::status(200).after(Duration::from_millis(100)))
}

/// Lets pass what two tries and two retries take, in which a webhook that is still sent to would get some events.
async fn let_time_pass(emitter: &Emitter) {
    let receiver = Receiver::start(|request| match request.number {
        1 | 2 => Answer::status(500),
        _ => Answer::status(200),
    });
    let witness = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!("time passes")]).await;
    witness.wait_for(&["delivered"]).await;
    witness.api.delete(&witness.path("")).await.expect(204);
}

#[tokio::test]
async fn a_webhook_that_is_deleted_is_sent_nothing_more() {
    let receiver = slow();
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit_numbers(EVENTS).await;
    receiver.wait_for(1).await;
    webhook.api.delete(&webhook.path("")).await.expect(204);
    let count = receiver.count();
    let_time_pass(&emitter).await;
    // One may have been on its way.
    assert!(receiver.count() <= count + 1, "{} came", receiver.count());
}

#[tokio::test]
async fn an_inactive_webhook_is_sent_what_waits_when_it_is_active_again() {
    let receiver = slow();
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit_numbers(EVENTS).await;
    receiver.wait_for(1).await;
    webhook.update(json!({ "active": false })).await;
    let count = receiver.count();
    let_time_pass(&emitter).await;
    assert!(receiver.count() <= count + 1, "{} came", receiver.count());

    webhook.update(json!({ "active": true })).await;
    webhook.wait_for(&["delivered"; EVENTS]).await;
    let expected: Vec<Value> = (1..=EVENTS).map(Value::from).collect();
    assert_eq!(bodies(&receiver, "/"), expected);
}

#[tokio::test]
async fn a_new_address_gets_what_the_old_one_has_not_got() {
    let receiver = slow();
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/old")).await;
    emitter.emit_numbers(EVENTS).await;
    receiver.wait_for(1).await;
    webhook.update(json!({ "url": receiver.url("/new") })).await;
    webhook.wait_for(&["delivered"; EVENTS]).await;
    let (mut all, new) = (bodies(&receiver, "/old"), bodies(&receiver, "/new"));
    assert!(new.len() > 1, "all went to the old address");
    all.extend(new);
    let expected: Vec<Value> = (1..=EVENTS).map(Value::from).collect();
    assert_eq!(all, expected);
}
