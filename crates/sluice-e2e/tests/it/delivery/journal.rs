//! The database goes away between a receiver's answer and the record of it: nothing is delivered again.

use std::time::Duration;

use serde_json::json;
use sluice_testkit::{
    OwnPostgres, Server,
    receiver::{Answer, Receiver},
    wait_for,
    webhook::{attempts, bodies},
};

use super::fixtures::{Emitter, options};
use crate::support::PATIENCE;

const UNRECORDED: &str = "attempts not recorded; retrying";

/// The answer comes when the database is gone.
fn slow() -> Receiver {
    Receiver::start(|_| Answer::status(200).after(Duration::from_secs(2)))
}

async fn unrecorded(server: &Server) {
    wait_for(PATIENCE, "a record to fail", async || {
        server.logs().contains(UNRECORDED).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_success_that_could_not_be_recorded_before_a_kill_is_recorded_by_the_next_start() {
    let database = OwnPostgres::start();
    let receiver = slow();
    let mut server = Server::start(options("100ms").postgres(database.url())).await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([json!(1)]).await;
    receiver.wait_for(1).await;
    database.stop().await;
    unrecorded(&server).await;
    server.kill9();
    database.start_again().await;
    server.restart().await;
    let rows = webhook.wait_for(&["delivered"]).await;
    assert_eq!(attempts(&rows[0], "status"), [200]);

    // What comes next finds the one before it done.
    emitter.emit([json!(2)]).await;
    receiver.wait_for(2).await;
    assert_eq!(bodies(&receiver, "/"), [1, 2].map(serde_json::Value::from));
}

#[tokio::test]
async fn what_was_sent_while_the_database_was_away_is_recorded_when_it_is_back() {
    let database = OwnPostgres::start();
    let receiver = slow();
    let server = Server::start(options("100ms").postgres(database.url())).await;
    let emitter = Emitter::on(&server).await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    emitter.emit([1, 2].map(serde_json::Value::from)).await;
    receiver.wait_for(1).await;
    database.stop().await;
    unrecorded(&server).await;
    database.start_again_for(&server).await;
    webhook.wait_for(&["delivered", "delivered"]).await;
    assert_eq!(bodies(&receiver, "/"), [1, 2].map(serde_json::Value::from));
}
