//! A clock that is set back costs a row its own pause at most.

use sluice_testkit::receiver::{Answer, Receiver};

use super::fixtures::{Fixture, NOW};

const HOUR: i64 = 3_600_000;

#[tokio::test]
async fn a_first_attempt_is_due_although_the_clock_was_set_back_before_the_start() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::new();
    fixture.webhook(&receiver.url("/"), 2, NOW + HOUR).await;
    fixture.send(&receiver.url("/"), NOW + HOUR).await;
    fixture.outbox.start().await.unwrap();
    fixture.wait_for("deliveries", &[("delivered", 1); 2]).await;
    fixture.wait_for("sends", &[("sent", 1)]).await;
}

#[tokio::test]
async fn a_retry_waits_for_its_own_pause_after_the_clock_is_set_back_while_running() {
    let receiver = Receiver::start(|request| match request.number {
        1 | 2 => Answer::status(500),
        _ => Answer::status(200),
    });
    let fixture = Fixture::new();
    let webhook = fixture.webhook(&receiver.url("/"), 1, NOW).await;
    fixture.send(&receiver.url("/"), NOW).await;
    fixture.outbox.start().await.unwrap();
    fixture.wait_for("deliveries", &[("pending", 1)]).await;
    fixture.wait_for("sends", &[("pending", 1)]).await;

    fixture.clock.set(NOW - HOUR);
    fixture.outbox.wake_webhook(&webhook);
    fixture.outbox.wake_sends(NOW - HOUR);
    let sql = "SELECT COUNT(*) FROM deliveries WHERE due_at > 1699999999000";
    sluice_testkit::wait_for(super::fixtures::PATIENCE, "a correction", async || {
        let read = fixture
            .infra
            .store
            .read(|c| sluice_store::query_one::<u64>(c, sql, &[]));
        (read.await == Ok(0)).then_some(())
    })
    .await;
    assert_eq!(receiver.count(), 2, "their pause is not over");
    fixture.clock.advance(200);
    fixture.wait_for("deliveries", &[("delivered", 2)]).await;
    fixture.wait_for("sends", &[("sent", 2)]).await;
}
