//! A node that has lost its lease sends nothing.

use std::time::Duration;

use sluice_cluster::testing::renew;
use sluice_store::{
    nodes,
    queue_claims::{self, QueueClaim},
};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::{Fixture, NOW, PATIENCE};

/// Time enough for an attempt.
const A_WHILE: Duration = Duration::from_millis(300);
/// Longer than a lease that is not renewed.
const LAPSE: Duration = Duration::from_millis(2_700);

#[tokio::test]
async fn nothing_is_sent_without_a_lease() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::without_lease();
    fixture.webhook(&receiver.url("/"), 2, NOW).await;
    fixture.send(&receiver.url("/"), NOW).await;
    fixture.outbox.start().await.unwrap();
    tokio::time::sleep(A_WHILE).await;
    assert_eq!((receiver.count(), fixture.claims().await.len()), (0, 0));

    renew(&fixture.infra.cluster);
    fixture.wait_for("deliveries", &[("delivered", 1); 2]).await;
    fixture.wait_for("sends", &[("sent", 1)]).await;
}

#[tokio::test]
async fn rows_in_hand_wait_for_the_next_lease_and_keep_their_order() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(200).after(LAPSE),
        _ => Answer::status(200),
    });
    let fixture = Fixture::without_lease();
    fixture.webhook(&receiver.url("/"), 3, NOW).await;
    renew(&fixture.infra.cluster);
    fixture.outbox.start().await.unwrap();
    let one = [("delivered", 1), ("pending", 0), ("pending", 0)];
    // An attempt that was under way is recorded.
    fixture.wait_for("deliveries", &one).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(receiver.count(), 1);

    renew(&fixture.infra.cluster);
    fixture.wait_for("deliveries", &[("delivered", 1); 3]).await;
    let bodies: Vec<_> = receiver.requests().iter().map(|r| r.json()).collect();
    assert_eq!(bodies, [1, 2, 3]);
}

#[tokio::test]
async fn a_queue_that_another_node_claimed_during_a_lapse_is_left_to_it() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(200).after(LAPSE),
        _ => Answer::status(200),
    });
    let fixture = Fixture::without_lease();
    let webhook = fixture.webhook(&receiver.url("/"), 2, NOW).await;
    renew(&fixture.infra.cluster);
    fixture.outbox.start().await.unwrap();
    wait_for(PATIENCE, "the first attempt", async || {
        (receiver.count() == 1).then_some(())
    })
    .await;

    fixture.add_node("other").await;
    let queue = webhook.to_string();
    fixture
        .write(move |c| {
            let claimed = queue_claims::claim(c, &queue, "other", true)?;
            assert_eq!(claimed, QueueClaim::Claimed(Vec::new()));
            Ok(())
        })
        .await;
    tokio::time::sleep(LAPSE).await;
    renew(&fixture.infra.cluster);
    fixture.is_idle().await;
    let states = [("delivered", 1), ("pending", 0)];
    fixture.wait_for("deliveries", &states).await;
    assert_eq!(receiver.count(), 1);

    fixture.write(|c| nodes::leave(c, "other")).await;
    fixture.outbox.wake_webhook(&webhook);
    fixture.wait_for("deliveries", &[("delivered", 1); 2]).await;
}
