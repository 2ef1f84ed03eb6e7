//! What a request to a webhook looks like, and that receivers can trust it.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Delivery, Receiver},
    webhook::bodies,
};

use super::fixtures::Emitter;

fn headers(request: &Delivery) -> HeaderMap {
    let pairs = request.headers.iter().map(|(name, value)| {
        let name: HeaderName = name.parse().expect("a name");
        (name, value.parse::<HeaderValue>().expect("a value"))
    });
    pairs.collect()
}

/// What the crate says of a request.
fn crate_accepts(secret: &str, request: &Delivery) -> bool {
    let verifier = standardwebhooks::Webhook::new(secret).expect("a secret");
    verifier
        .verify(request.body.as_bytes(), &headers(request))
        .is_ok()
}

/// What the npm package makes of a request.
fn npm_verifies(secret: &str, request: &Delivery) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/delivery/verify.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("node can be started");
    let input = json!({ "secret": secret, "body": request.body, "headers": request.headers });
    let mut stdin = node.stdin.take().expect("a pipe");
    stdin
        .write_all(input.to_string().as_bytes())
        .expect("node reads");
    drop(stdin);
    let output = node.wait_with_output().expect("node ends");
    serde_json::from_slice(&output.stdout).ok()
}

#[tokio::test]
async fn a_delivery_is_the_bare_event_with_a_signature_that_the_reference_verifiers_accept() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/hook?a=b")).await;
    let event = json!({ "text": "ä😀 \"quoted\"", "list": [1, null, { "deep": true }] });
    emitter.emit([event.clone()]).await;
    let request = receiver.wait_for(1).await.remove(0);

    assert_eq!((&*request.method, &*request.path), ("POST", "/hook?a=b"));
    assert_eq!(request.json(), event);
    let rows = webhook.wait_for(&["delivered"]).await;
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(
        request
            .header("user-agent")
            .is_some_and(|agent| agent.starts_with("sluice/"))
    );
    assert_eq!(request.header("webhook-id"), rows[0]["id"].as_str());
    assert_eq!(
        request.header("x-pd-emitter-id"),
        Some(emitter.source.id.as_str())
    );
    let summary = emitter.source.summaries().await.remove(0);
    assert_eq!(request.header("x-pd-event-id"), summary["id"].as_str());
    assert_eq!(request.header("x-pd-event-name"), Some(""));

    assert!(crate_accepts(&webhook.secret, &request));
    assert_eq!(npm_verifies(&webhook.secret, &request), Some(event));
    let forged = Delivery {
        body: "{}".to_owned(),
        ..request
    };
    assert!(!crate_accepts(&webhook.secret, &forged));
    assert_eq!(npm_verifies(&webhook.secret, &forged), None);
}

#[tokio::test]
async fn after_a_rotation_deliveries_verify_with_both_secrets() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let emitter = Emitter::new().await;
    let webhook = emitter.webhook(&receiver.url("/")).await;
    let rotate = webhook.path("/rotate_secret");
    let rotated = webhook.api.post(&rotate, &json!({})).await.ok();
    let new = rotated["signing_secret"].as_str().expect("a secret");
    emitter.emit([json!("signed twice")]).await;
    let request = receiver.wait_for(1).await.remove(0);
    for secret in [&webhook.secret, new] {
        assert!(crate_accepts(secret, &request));
        assert!(npm_verifies(secret, &request).is_some());
    }
}

#[tokio::test]
async fn an_event_name_is_percent_encoded_where_it_may_not_stand_in_a_header() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let emitter = Emitter::new().await;
    let name = "50% größer\n";
    let body = json!({ "url": receiver.url("/") });
    emitter.webhook_with(body, name).await;
    let emits = json!([[1, { "name": name }], [2]]);
    emitter.source.run(json!({ "emits": emits })).await;
    let request = receiver.wait_for(1).await.remove(0);
    assert_eq!(
        request.header("x-pd-event-name"),
        Some("50%25%20gr%C3%B6%C3%9Fer%0A")
    );
    assert_eq!(bodies(&receiver, "/"), [json!(1)]);
}

#[tokio::test]
async fn credentials_in_the_address_become_basic_authentication() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let emitter = Emitter::new().await;
    let url = receiver
        .url("/hook")
        .replace("http://", "http://user:p%40ss@");
    emitter.webhook(&url).await;
    emitter.emit([json!(1)]).await;
    let request = receiver.wait_for(1).await.remove(0);
    // "user:p@ss"
    assert_eq!(request.header("authorization"), Some("Basic dXNlcjpwQHNz"));
    assert_eq!(request.path, "/hook");
}
