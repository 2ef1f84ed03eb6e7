//! `POST /sources/{id}/run`: running a source by hand.

use serde_json::json;
use sluice_testkit::{Method, wait_for};

use super::fixtures::{field_names, refused, text};
use crate::support::{Deployed, PATIENCE, deploy, new_user};

/// Emits the event it was run with.
const ECHO: &str = r#"module.exports = { "name": "Echo", "version": "1", "run": { "log": "ran", "emit": "event" } };"#;

async fn echo() -> Deployed {
    deploy(&new_user().await, ECHO).await
}

#[tokio::test]
async fn a_run_answers_with_the_id_of_the_invocation_that_the_log_names() {
    let source = echo().await;
    let answer = source
        .api
        .post(&source.path("/run"), &json!({ "event": {} }))
        .await
        .expect(200);
    assert_eq!(field_names(&answer), ["data"]);
    assert_eq!(field_names(&answer["data"]), ["id"]);
    let line = source.log_with("ran").await;
    assert_eq!(line["invocation_id"], text(&answer["data"]["id"]));
}

#[tokio::test]
async fn the_event_is_any_json_value() {
    let source = echo().await;
    let events = [
        json!({ "a": [1, { "b": null }], "ü": "🦀\u{0} \u{2028}" }),
        json!([1, 2]),
        json!("text"),
        json!(1.5),
        json!(false),
    ];
    for (count, event) in events.iter().enumerate() {
        source.run(event.clone()).await;
        source.events(count + 1).await;
    }
    assert_eq!(source.events(events.len()).await, events);
}

#[tokio::test]
async fn without_an_event_run_gets_an_empty_object() {
    let source = echo().await;
    let bodies = ["{}", "", r#"{"event": null}"#, r#"{"event": {}}"#];
    for (count, body) in bodies.iter().enumerate() {
        let request = source.api.request(Method::POST, &source.path("/run"));
        request
            .header("Content-Type", "application/json")
            .body(*body)
            .send()
            .await
            .expect(200);
        source.events(count + 1).await;
    }
    source
        .api
        .request(Method::POST, &source.path("/run"))
        .send()
        .await
        .expect(200);
    assert_eq!(
        source.events(bodies.len() + 1).await,
        vec![json!({}); bodies.len() + 1]
    );
}

#[tokio::test]
async fn line_breaks_between_tokens_do_not_matter() {
    let source = echo().await;
    let request = source.api.request(Method::POST, &source.path("/run"));
    let body = "{\r\n\"event\":\n{\n\t\"a\" :\r 1,\n\"b\": \"x\\ny\"\n}\n}\n";
    request
        .header("Content-Type", "application/json")
        .body(body)
        .send()
        .await
        .expect(200);
    assert_eq!(source.events(1).await, [json!({ "a": 1, "b": "x\ny" })]);
}

#[tokio::test]
async fn the_event_may_be_json_in_the_query_string_or_text() {
    let source = echo().await;
    for (query, event) in [
        ("%7B%22a%22%3A1%7D", json!({ "a": 1 })),
        ("5", json!(5)),
        ("plain", json!("plain")),
    ] {
        source
            .api
            .request(Method::POST, &source.path(&format!("/run?event={query}")))
            .send()
            .await
            .expect(200);
        wait_for(PATIENCE, query, async || {
            source
                .summaries()
                .await
                .first()
                .is_some_and(|row| row["event"] == event)
                .then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_inactive_source_is_409() {
    let source = echo().await;
    source
        .api
        .put(&source.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    refused(source.api.post(&source.path("/run"), &json!({})).await, 409);
}

#[tokio::test]
async fn an_unknown_source_is_404() {
    let api = new_user().await;
    for id in ["dc_unknown", "nonsense", "%00"] {
        let answer = api.post(&format!("/sources/{id}/run"), &json!({})).await;
        assert_eq!(refused(answer, 404), "source not found");
    }
}
