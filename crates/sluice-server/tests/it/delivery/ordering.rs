//! One webhook's events go out in order while it is healthy, unless it gives that up.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    webhook::bodies,
};

use super::fixtures::Emitter;

#[tokio::test]
async fn events_arrive_in_the_order_in_which_they_were_emitted() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let emitter = Emitter::new().await;
    emitter.webhook(&receiver.url("/")).await;
    for round in 0..5 {
        emitter
            .emit((0..100).map(|n| Value::from(round * 100 + n)))
            .await;
    }
    receiver.wait_for(500).await;
    let expected: Vec<Value> = (0..500).map(Value::from).collect();
    assert_eq!(bodies(&receiver, "/"), expected);
}

#[tokio::test]
async fn a_webhook_gets_one_request_at_a_time_unless_it_asks_for_more() {
    const ANSWER_TIME: Duration = Duration::from_secs(1);
    for concurrency in [1, 3] {
        let receiver = Receiver::start(|_| Answer::status(200).after(ANSWER_TIME));
        let emitter = Emitter::new().await;
        let body = json!({ "url": receiver.url("/"), "concurrency": concurrency });
        emitter.webhook_with(body, "").await;
        emitter.emit_numbers(4).await;
        let requests = receiver.wait_for(concurrency + 1).await;
        let since_first = |index: usize| requests[index].received_at - requests[0].received_at;
        assert!(since_first(concurrency - 1) < ANSWER_TIME);
        assert!(since_first(concurrency) >= ANSWER_TIME);
    }
}
