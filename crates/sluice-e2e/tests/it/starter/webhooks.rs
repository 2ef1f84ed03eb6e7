//! Signed webhooks, by real requests.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use sluice_testkit::{Answer, Method, now_ms};

use super::{deploy_key, user};
use crate::support::Deployed;

const SECRET: &str = "a secret";

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any key will do");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
}

fn now() -> i64 {
    now_ms() / 1000
}

async fn send(source: &Deployed, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let url = format!("{}{path}", source.endpoint());
    let request = source.api.absolute(Method::POST, &url);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    let request = if headers.iter().any(|(name, _)| *name == "content-type") {
        request
    } else {
        request.header("content-type", "application/json")
    };
    request.body(body.to_owned()).send().await
}

/// Sends the right request twice and a forged one; gives the only event.
async fn only_event(
    key: &str,
    props: Value,
    body: &str,
    sign: impl Fn(&str) -> Vec<(&'static str, String)>,
) -> Value {
    let source = deploy_key(&user().await, key, props).await;
    let signed = sign(body);
    let headers: Vec<(&str, &str)> = signed
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    for _ in 0..2 {
        let answer = send(&source, "", &headers, body).await;
        assert!((200..300).contains(&answer.status), "{answer:?}");
    }
    let forged = send(&source, "", &headers, &format!("{body} ")).await;
    assert_eq!(forged.status, 401, "{forged:?}");
    let unsigned = send(&source, "", &[], body).await;
    assert_eq!(unsigned.status, 401, "{unsigned:?}");
    source.events(1).await.remove(0)
}

#[tokio::test]
async fn github() {
    let body = r#"{"action":"opened","repository":{"full_name":"acme/things"}}"#;
    let event = only_event(
        "github-webhook",
        json!({ "secret": SECRET }),
        body,
        |body| {
            vec![
                ("x-github-event", "issues".to_owned()),
                ("x-github-delivery", "one".to_owned()),
                (
                    "x-hub-signature-256",
                    format!("sha256={}", hex(&hmac(SECRET.as_bytes(), body))),
                ),
            ]
        },
    )
    .await;
    assert_eq!(
        (&event["event"], &event["repository"]),
        (&json!("issues"), &json!("acme/things"))
    );
}

#[tokio::test]
async fn stripe() {
    let body = r#"{"id":"evt_1","type":"invoice.paid","created":1736933400}"#;
    let event = only_event(
        "stripe-webhook",
        json!({ "secret": SECRET }),
        body,
        |body| {
            let time = now();
            let signature = hex(&hmac(SECRET.as_bytes(), &format!("{time}.{body}")));
            vec![("stripe-signature", format!("t={time},v1=00,v1={signature}"))]
        },
    )
    .await;
    assert_eq!(event["type"], "invoice.paid");
}

#[tokio::test]
async fn shopify() {
    let body = r#"{"id":1,"name":"Grün"}"#;
    let event = only_event(
        "shopify-webhook",
        json!({ "secret": SECRET }),
        body,
        |body| {
            vec![
                ("x-shopify-topic", "orders/create".to_owned()),
                ("x-shopify-event-id", "one".to_owned()),
                (
                    "x-shopify-hmac-sha256",
                    BASE64_STANDARD.encode(hmac(SECRET.as_bytes(), body)),
                ),
            ]
        },
    )
    .await;
    assert_eq!(event["payload"]["name"], "Grün");
}

fn signed_by_slack(time: i64, body: &str) -> Vec<(&'static str, String)> {
    let signature = hex(&hmac(SECRET.as_bytes(), &format!("v0:{time}:{body}")));
    vec![
        ("x-slack-request-timestamp", time.to_string()),
        ("x-slack-signature", format!("v0={signature}")),
    ]
}

#[tokio::test]
async fn slack() {
    let body =
        r#"{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention","text":"hi"}}"#;
    let props = json!({ "secret": SECRET });
    let event = only_event("slack-webhook", props, body, |body| {
        signed_by_slack(now(), body)
    })
    .await;
    assert_eq!(event["event"]["text"], "hi");
}

#[tokio::test]
async fn slack_verifies_the_address_and_old_requests_are_refused() {
    let props = json!({ "secret": SECRET });
    let source = deploy_key(&user().await, "slack-webhook", props).await;
    let body = r#"{"type":"url_verification","challenge":"xyz"}"#;
    for (time, status) in [(now(), 200), (now() - 1000, 400)] {
        let signed = signed_by_slack(time, body);
        let headers: Vec<(&str, &str)> = signed
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let answer = send(&source, "", &headers, body).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if status == 200 {
            assert_eq!(answer.body, json!({ "challenge": "xyz" }));
        }
    }
    assert_eq!(source.summaries().await.len(), 0);
}

#[tokio::test]
async fn standard_webhooks() {
    let key = b"0123456789abcdef01234567";
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(key));
    let body = r#"{"type":"user.created","data":{}}"#;
    let event = only_event(
        "standard-webhook",
        json!({ "secret": secret }),
        body,
        |body| {
            let time = now();
            let signature = BASE64_STANDARD.encode(hmac(key, &format!("msg_1.{time}.{body}")));
            vec![
                ("webhook-id", "msg_1".to_owned()),
                ("webhook-timestamp", time.to_string()),
                ("webhook-signature", format!("v1,AAAA v1,{signature}")),
            ]
        },
    )
    .await;
    assert_eq!(event["type"], "user.created");
}

#[tokio::test]
async fn the_webhooks_of_this_server_are_standard_webhooks() {
    let api = user().await;
    let emitter = deploy_key(&api, "http", json!({ "bodyOnly": true })).await;
    let webhook = sluice_testkit::webhook::Webhook::create(
        &api,
        &emitter.id,
        &json!({ "url": "http://127.0.0.1:9/" }),
        "default",
    )
    .await;
    let secret = webhook.secret.clone();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let listener = deploy_key(&api, "standard-webhook", json!({ "secret": secret })).await;
    let url = json!({ "url": listener.endpoint() });
    let changed = api.put(&webhook.path(""), &url).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    emitter.send(&json!({ "type": "order", "n": 1 })).await;
    assert_eq!(listener.events(1).await[0]["n"], 1);
}

#[tokio::test]
async fn inbound_mail() {
    let props = json!({ "secret": "word" });
    let source = deploy_key(&user().await, "inbound-mail", props).await;
    let mail = "From: Ada <ada@example.com>\r\nSubject: Hi\r\nMessage-ID: <1@example.com>\r\n\r\nHello\r\n";
    let headers = [("content-type", "message/rfc822")];
    for _ in 0..2 {
        assert_eq!(send(&source, "/word", &headers, mail).await.status, 200);
    }
    assert_eq!(send(&source, "/other", &headers, mail).await.status, 401);
    let form = "--x\r\nContent-Disposition: form-data; name=\"from\"\r\n\r\nBob <bob@example.com>\r\n\
        --x\r\nContent-Disposition: form-data; name=\"envelope\"\r\n\r\n{}\r\n\
        --x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nFiles\r\n\
        --x\r\nContent-Disposition: form-data; name=\"attachment1\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--\r\n";
    let headers = [("content-type", "multipart/form-data; boundary=x")];
    assert_eq!(send(&source, "/word", &headers, form).await.status, 200);
    let events = source.events(2).await;
    assert_eq!(
        events[0]["from"],
        json!({ "name": "Ada", "address": "ada@example.com" })
    );
    assert_eq!(events[0]["text"], "Hello\r\n");
    assert_eq!(events[1]["provider"], "sendgrid");
    let attachment = &events[1]["attachments"][0];
    assert_eq!(attachment["filename"], "a.txt");
    assert!(attachment["url"].is_string(), "{attachment}");
}
