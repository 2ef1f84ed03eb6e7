//! Deliveries after a restart of the server.

use serde_json::{Value, json};
use sluice_testkit::{
    Server,
    receiver::{Answer, Receiver},
    wait_for,
    webhook::attempts,
};

use super::fixtures::{Emitter, options};
use crate::support::PATIENCE;

#[tokio::test]
async fn what_waits_for_a_retry_is_delivered_by_the_next_run_of_the_server() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500),
        _ => Answer::status(200),
    });
    let mut server = Server::start(options("3s")).await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!(1)]).await;
    let tried = |rows: &[Value]| rows.iter().any(|row| attempts(row, "at").len() == 1);
    webhook.wait_until("a first try", tried).await;
    assert_eq!(server.terminate().await.code(), Some(0));
    server.restart().await;
    let rows = webhook.wait_for(&["delivered"]).await;
    assert_eq!(attempts(&rows[0], "status"), [500, 200]);
}

#[tokio::test]
async fn finished_deliveries_are_forgotten_with_age() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let mut server = Server::start(options("100ms").arg("--delivery-max-age").arg("1s")).await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([1, 2, 3].map(Value::from)).await;
    webhook.wait_for(&["delivered"; 3]).await;
    // A server cleans up when it starts, and then rarely.
    wait_for(PATIENCE, "the deliveries to be forgotten", async || {
        server.restart().await;
        webhook.deliveries().await.is_empty().then_some(())
    })
    .await;
}
