//! A webhook that fails again and again is left alone for a while, and nobody else notices.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    webhook::{attempts, bodies},
};

use super::fixtures::{Emitter, server};

#[tokio::test]
async fn five_failures_in_a_row_pause_a_webhook_and_no_other() {
    let well = Arc::new(AtomicBool::new(false));
    let is_well = Arc::clone(&well);
    let receiver = Receiver::start(move |request| match request.path.as_str() {
        "/bad" if !is_well.load(Ordering::SeqCst) => Answer::status(500),
        _ => Answer::status(200),
    });
    // A retry comes long after the pause, so that it is not what is seen.
    let server = server(&[Duration::from_secs(8); 2]).await;
    let emitter = Emitter::on(&server).await;
    let bad = emitter.webhook(&receiver.url("/bad")).await;
    let good = emitter.webhook(&receiver.url("/good")).await;
    emitter.emit_numbers(20).await;
    good.wait_for(&["delivered"; 20]).await;
    let tried = |rows: &[Value]| {
        rows.iter()
            .filter(|row| !attempts(row, "at").is_empty())
            .count()
    };
    let rows = bad.wait_until("five tries", |rows| tried(rows) == 5).await;
    assert!(rows.iter().all(|row| row["state"] == "pending"));

    well.store(true, Ordering::SeqCst);
    let rows = bad.wait_for(&["delivered"; 20]).await;
    // Those that waited behind the pause went at the first try.
    let attempts_each: Vec<usize> = rows.iter().map(|row| attempts(row, "at").len()).collect();
    assert_eq!(attempts_each[..5], [2; 5]);
    assert_eq!(attempts_each[5..], [1; 15]);
    let requests = receiver.requests();
    let to_bad: Vec<_> = requests
        .iter()
        .filter(|request| request.path == "/bad")
        .collect();
    let pause = to_bad[5].received_at - to_bad[4].received_at;
    assert!(pause >= Duration::from_secs(5), "{pause:?}");
    assert_eq!(to_bad[5].json(), json!(6), "the probe is the earliest due");
}

#[tokio::test]
async fn a_webhook_that_is_mended_by_its_user_does_not_wait_for_the_pause() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/bad" => Answer::status(503).header("retry-after", "3600"),
        _ => Answer::status(200),
    });
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/bad")).await;
    emitter.emit_numbers(3).await;
    let tried = |rows: &[Value]| rows.len() == 3 && attempts(&rows[0], "at").len() == 1;
    webhook.wait_until("a first try", tried).await;
    webhook
        .update(json!({ "url": receiver.url("/good") }))
        .await;
    webhook.wait_for(&["delivered"; 3]).await;
    assert_eq!(bodies(&receiver, "/bad"), [json!(1)]);
    assert_eq!(bodies(&receiver, "/good"), [1, 2, 3].map(Value::from));
}
