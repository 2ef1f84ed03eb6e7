//! What becomes of a request's body: `bodyRaw` exactly, and `body` by its type.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Method};

use super::responder;
use crate::support::{Deployed, deploy, new_user, new_user_on};

const ECHO: &str = "const { body, bodyRaw, isBase64 } = event; this.http.respond({ status: 200, body: { body, bodyRaw, isBase64 } });";

async fn post(source: &Deployed, content_type: &str, body: &[u8]) -> Value {
    let request = source
        .api
        .absolute(Method::POST, source.endpoint())
        .body(body.to_vec());
    let request = if content_type.is_empty() {
        request
    } else {
        request.header("content-type", content_type)
    };
    request.send().await.expect(200)
}

#[rstest]
#[tokio::test]
async fn body_raw_is_byte_exact(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let source = deploy(
        &new_user_on(backend).await,
        &responder("this.http.respond({ status: 200, body: event.bodyRaw });"),
    )
    .await;
    let long = "é語🦀\\\"".repeat(40_000);
    let bodies = [
        " {\"b\" : 1.00,\r\n\t\"a\": 12345678901234567890123}\r\n ",
        "\u{feff}{}",
        "nul \0, tab \t, \u{1f}, \u{7f}, \u{2028}\u{2029}, \u{10ffff}",
        "\\u0000 \\ud800 {\"$tmp:x\"} ${x} \\n",
        long.as_str(),
    ];
    for body in bodies {
        for content_type in [
            "application/json",
            "text/plain",
            "application/x-www-form-urlencoded",
        ] {
            let request = source
                .api
                .absolute(Method::POST, source.endpoint())
                .header("content-type", content_type);
            let answer = request.body(body.as_bytes().to_vec()).send().await;
            assert!(
                answer.bytes == body.as_bytes(),
                "{content_type}: {:?}",
                &answer.text[..answer.text.len().min(100)]
            );
        }
    }
}

#[tokio::test]
async fn a_body_is_parsed_by_its_type() {
    let source = deploy(&new_user().await, &responder(ECHO)).await;
    let form = "application/x-www-form-urlencoded";
    let cases = [
        (
            "application/json",
            r#"{"a": [1, 2.50, "ä"]}"#,
            json!({ "a": [1, 2.5, "ä"] }),
        ),
        ("Application/JSON; charset=utf-8", "[]", json!([])),
        ("application/cloudevents+json", "\"text\"", json!("text")),
        ("application/json", "null", json!(null)),
        ("application/json", "{\"a\":", json!("{\"a\":")),
        ("application/json", "", json!("")),
        (
            form,
            "a=1&b=x+y%21&contact%5Bid%5D=7",
            json!({ "a": "1", "b": "x y!", "contact[id]": "7" }),
        ),
        (form, "a=1&b=2&a=3", json!({ "a": ["1", "3"], "b": "2" })),
        (form, " {\"a\": 1}", json!({ "a": 1 })),
        (form, "[1, 2]", json!([1, 2])),
        (form, "{broken", json!({ "{broken": "" })),
        ("text/plain", "{\"a\": 1}", json!("{\"a\": 1}")),
        ("application/xml", "<a/>", json!("<a/>")),
        ("", "no type", json!("no type")),
    ];
    for (content_type, sent, parsed) in cases {
        let event = post(&source, content_type, sent.as_bytes()).await;
        assert_eq!(
            event,
            json!({ "body": parsed, "bodyRaw": sent }),
            "{content_type}: {sent}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_base64_and_says_so() {
    let source = deploy(&new_user().await, &responder(ECHO)).await;
    for content_type in ["application/octet-stream", "application/json", "text/plain"] {
        let event = post(&source, content_type, b"\xff\x00\xfe").await;
        assert_eq!(event["bodyRaw"], "/wD+", "{content_type}");
        assert_eq!(event["isBase64"], true, "{content_type}");
    }
}

#[tokio::test]
async fn a_signature_over_body_raw_can_be_checked() {
    let code = responder(
        "const hmac = require('crypto').createHmac('sha256', 'key').update(event.bodyRaw).digest('hex');
         this.http.respond({ status: hmac === event.headers['x-signature'] ? 200 : 401 });",
    );
    let source = deploy(&new_user().await, &code).await;
    let signature = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
    let text = "The quick brown fox jumps over the lazy dog";
    for (body, status) in [(text.to_owned(), 200), (format!("{text} "), 401)] {
        let request = source
            .api
            .absolute(Method::POST, source.endpoint())
            .header("x-signature", signature);
        request.body(body).send().await.expect(status);
    }
}
