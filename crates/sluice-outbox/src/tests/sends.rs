//! Sends of workflows.

use sluice_testkit::receiver::{Answer, Receiver};

use super::fixtures::{Fixture, NOW};

#[tokio::test]
async fn a_host_that_does_not_answer_delays_no_other_host() {
    let hung = Receiver::start(|_| Answer::Hang);
    let well = Receiver::start(|_| Answer::status(200));
    let fixture = Fixture::new();
    // More than the window of a queue.
    for _ in 0..300 {
        fixture.send(&hung.url("/"), NOW).await;
    }
    fixture.send(&well.url("/"), NOW).await;
    fixture.outbox.start().await.unwrap();
    let mut expected = vec![("pending", 0); 300];
    expected.push(("sent", 1));
    fixture.wait_for("sends", &expected).await;
    assert!(hung.count() <= 8, "{} at once", hung.count());
}
