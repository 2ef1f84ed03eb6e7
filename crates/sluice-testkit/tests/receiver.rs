//! The receiver against a plain client, so that what it reports can be trusted.

use std::time::{Duration, Instant};

use serde_json::json;
use sluice_testkit::{
    Api, Method,
    receiver::{Answer, Receiver},
};

fn client() -> Api {
    Api::new("", "")
}

#[tokio::test]
async fn a_request_is_kept_as_it_came_and_answered_as_the_script_says() {
    let receiver = Receiver::start(|request| {
        Answer::status(if request.number == 1 { 503 } else { 201 })
            .header("retry-after", "7")
            .body(format!("number {}", request.number))
    });
    let send = || {
        client()
            .absolute(Method::POST, &receiver.url("/orders?paid=1"))
            .header("X-Kind", "a")
            .header("x-kind", "b")
            .json(&json!({ "n": "ü" }))
            .send()
    };
    let first = send().await;
    assert_eq!(first.header("retry-after"), Some("7"));
    assert_eq!((first.status, first.text.as_str()), (503, "number 1"));
    assert_eq!(send().await.status, 201);

    let requests = receiver.wait_for(2).await;
    assert_eq!(requests.len(), 2);
    let request = &requests[1];
    assert_eq!(request.number, 2);
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/orders?paid=1");
    assert_eq!(request.header("x-kind"), Some("a, b"));
    assert_eq!(request.json(), json!({ "n": "ü" }));
    assert_eq!(requests[0].answered, Some(503));
    assert!(requests[0].received_at <= request.received_at);
}

#[tokio::test]
async fn it_answers_late_hangs_and_closes() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/late" => Answer::status(200).after(Duration::from_millis(80)),
        "/hang" => Answer::Hang,
        _ => Answer::Close,
    });
    let get = |path| {
        client()
            .absolute(Method::GET, &receiver.url(path))
            .try_send()
    };
    let start = Instant::now();
    assert_eq!(get("/late").await.expect("an answer").status, 200);
    assert!(start.elapsed() >= Duration::from_millis(80));
    let hanging = tokio::time::timeout(Duration::from_millis(80), get("/hang")).await;
    assert!(hanging.is_err(), "it answered");
    let closed = get("/close").await.expect_err("no answer");
    assert!(!closed.is_timeout(), "{closed:?}");
    let answered: Vec<_> = receiver
        .wait_for(3)
        .await
        .iter()
        .map(|request| request.answered)
        .collect();
    assert_eq!(answered, [Some(200), None, None]);
}

#[tokio::test]
async fn counting_keeps_no_requests_and_counts_over_many_connections() {
    let receiver = Receiver::counting();
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..20 {
        let url = receiver.url(&format!("/{number}"));
        clients.spawn(async move {
            let client = client();
            for _ in 0..50 {
                let request = client.absolute(Method::POST, &url).body("x".repeat(1000));
                assert_eq!(request.send().await.status, 200);
            }
        });
    }
    clients.join_all().await;
    assert_eq!(receiver.count(), 1000);
    assert!(receiver.requests().is_empty());
    assert!(receiver.last_at().is_some());
}

#[tokio::test]
async fn a_dropped_receiver_is_gone() {
    let receiver = Receiver::start(|_| Answer::Hang);
    let url = receiver.url("/");
    let waiting = tokio::spawn(client().absolute(Method::GET, &url).try_send());
    receiver.wait_for(1).await;
    drop(receiver);
    assert!(waiting.await.expect("no panic").is_err(), "it was closed");
    let refused = client().absolute(Method::GET, &url).try_send().await;
    assert!(refused.expect_err("nobody listens").is_connect());
}
