//! Two nodes on one database: each queue is worked on by one of them.

use std::time::Duration;

use sluice_store::webhooks;
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Fixture, NOW, PATIENCE};

/// Longer than the finder sleeps on a database with other nodes.
const SEARCHED: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn a_node_leaves_queues_alone_until_the_node_that_has_them_stops() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let first = Fixture::node().await;
    let second = first.another_node().await;
    let webhook = first.webhook(&receiver.url("/"), 1, NOW).await;
    first.send(&receiver.url("/"), NOW).await;
    first.outbox.wake_webhook(&webhook);
    first.outbox.wake_queue("u_a/http");
    first.wait_for("deliveries", &[("delivered", 1)]).await;
    first.wait_for("sends", &[("sent", 1)]).await;
    first.is_idle().await;

    first.deliveries(&webhook, 1, NOW).await;
    first.send(&receiver.url("/"), NOW).await;
    second.outbox.start().await.unwrap();
    second.outbox.wake_webhook(&webhook);
    second.outbox.wake_queue("u_a/http");
    tokio::time::sleep(SEARCHED).await;
    assert_eq!(receiver.count(), 2);
    second.is_idle().await;

    first.leave().await;
    let both = |state| [(state, 1); 2];
    second.wait_for("deliveries", &both("delivered")).await;
    second.wait_for("sends", &both("sent")).await;
    second.is_idle().await;
    assert_eq!((receiver.count(), second.observed()), (4, (1, 0)));
}

#[tokio::test]
async fn queues_that_were_released_are_taken_over_at_once() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let first = Fixture::node().await;
    let second = first.another_node().await;
    let webhook = first.webhook(&receiver.url("/"), 1, NOW).await;
    first.outbox.wake_webhook(&webhook);
    first.is_idle().await;
    assert_eq!(first.claims().await.len(), 1);

    assert!(first.infra.shutdown.drain(PATIENCE).await);
    first.outbox.release().await.unwrap();
    assert_eq!(first.claims().await, []);
    first.deliveries(&webhook, 1, NOW).await;
    second.outbox.wake_webhook(&webhook);
    second.wait_for("deliveries", &[("delivered", 1); 2]).await;
}

#[tokio::test]
async fn a_webhook_that_another_node_changed_is_read_again() {
    // The circuit breaker opens for longer than the test takes.
    let old = Receiver::start(|_| Answer::status(503).header("retry-after", "3600"));
    let new = Receiver::start(|_| Answer::status(200));
    let first = Fixture::node().await;
    let second = first.another_node().await;
    let webhook = first.webhook(&old.url("/"), 3, NOW).await;
    first.outbox.start().await.unwrap();
    wait_for(PATIENCE, "the pause", async || {
        (old.count() == 1).then_some(())
    })
    .await;

    let (id, url) = (webhook.clone(), new.url("/"));
    second
        .write(move |c| {
            let mut changed = webhooks::get_for_delivery(c, &id)?.unwrap();
            changed.url = url;
            changed.updated_at += 1;
            webhooks::update(c, &changed).map(|_| ())
        })
        .await;
    // The nodes of this test do not reach each other, so its hint is lost.
    second.outbox.webhook_changed(&webhook);
    first.wait_for("deliveries", &[("delivered", 1); 3]).await;
    first.is_idle().await;
    assert_eq!((old.count(), new.count()), (1, 3));
    assert_eq!(first.observed().0, 3);
}

#[tokio::test]
async fn a_hint_for_an_unknown_queue_is_ignored() {
    let fixture = Fixture::new();
    for queue in ["", "dc_a", "u_a/fax"] {
        fixture.outbox.wake_queue(queue);
        fixture.outbox.queue_changed(queue);
    }
    assert!(fixture.outbox.is_idle());
    assert_eq!(fixture.claims().await, []);
}
