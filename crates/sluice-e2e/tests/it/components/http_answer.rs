//! What a client is told when the component does not tell it: at once, or because it failed to.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Method};

use super::{http, limited_user, responder};
use crate::support::{deploy, new_user, new_user_on};

#[rstest]
#[tokio::test]
async fn without_custom_response_the_client_gets_200_and_the_invocation_id_at_once(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let code = "let open; const opened = new Promise((resolve) => { open = resolve; });\n"
        .to_owned()
        + &http(
            "if (event.body === 'open') return open(); await opened; console.log('running'); this.$emit(event.body);",
        );
    let source = deploy(&new_user_on(backend).await, &code).await;
    let first = source.send(&json!({ "n": 1 })).await;
    assert_eq!(first.header("content-type"), Some("application/json"));
    let first = first.expect(200);
    assert_eq!(
        first.as_object().map(serde_json::Map::len),
        Some(1),
        "{first}"
    );
    source.send(&json!("open")).await.expect(200);
    assert_eq!(source.events(1).await, [json!({ "n": 1 })]);
    assert_eq!(
        source.log_with("running").await["invocation_id"],
        first["id"]
    );
}

#[tokio::test]
async fn without_custom_response_respond_has_no_effect() {
    let source = deploy(
        &new_user().await,
        &http("this.http.respond({ status: 500, body: 'no' }); this.$emit('ran');"),
    )
    .await;
    let answer = source.send(&json!({})).await.expect(200);
    assert!(answer["id"].is_string(), "{answer}");
    assert_eq!(source.events(1).await, [json!("ran")]);
}

#[tokio::test]
async fn a_run_that_ends_without_respond_is_400_and_what_it_did_stands() {
    let source = deploy(&new_user().await, &responder("this.$emit('emitted');")).await;
    let body = source.send(&json!({})).await.expect(400);
    assert!(
        body["error"]
            .as_str()
            .is_some_and(|error| error.contains("without calling respond")),
        "{body}"
    );
    assert_eq!(source.events(1).await, [json!("emitted")]);
}

#[tokio::test]
async fn a_run_that_throws_before_respond_is_400_and_says_so() {
    let source = deploy(
        &new_user().await,
        &responder("this.$emit('emitted'); throw new RangeError('too far');"),
    )
    .await;
    let body = source.send(&json!({})).await.expect(400);
    assert!(
        body["error"]
            .as_str()
            .is_some_and(|error| error.contains("RangeError: too far")),
        "{body}"
    );
    assert_eq!(source.events(1).await, [json!("emitted")]);
}

#[tokio::test]
async fn a_run_that_does_not_respond_in_time_is_504() {
    let source = deploy(
        &limited_user().await,
        &responder("await new Promise(() => {});"),
    )
    .await;
    let body = source.send(&json!({})).await.expect(504);
    assert!(body["error"].is_string(), "{body}");
}

#[tokio::test]
async fn an_endpoint_that_is_unknown_inactive_or_deleted_is_404() {
    let source = deploy(&new_user().await, &http("this.$emit(event.body);")).await;
    let unknown = format!(
        "{}{}",
        source
            .endpoint()
            .trim_end_matches(|c: char| c.is_ascii_hexdigit()),
        "0".repeat(32)
    );
    assert!(
        source
            .api
            .absolute(Method::POST, &unknown)
            .send()
            .await
            .expect(404)["error"]
            .is_string()
    );
    let shorter = &source.endpoint()[..source.endpoint().len() - 1];
    source
        .api
        .absolute(Method::POST, shorter)
        .send()
        .await
        .expect(404);
    source
        .api
        .put(&source.path(""), &json!({ "active": false }))
        .await
        .ok();
    source.send(&json!("inactive")).await.expect(404);
    source
        .api
        .put(&source.path(""), &json!({ "active": true }))
        .await
        .ok();
    source.send(&json!("active again")).await.expect(200);
    assert_eq!(source.events(1).await, [json!("active again")]);
    assert_eq!(source.api.delete(&source.path("")).await.status, 204);
    source.send(&json!("deleted")).await.expect(404);
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_one_at_the_limit_is_taken() {
    let source = deploy(
        &limited_user().await,
        &http("this.$emit(event.bodyRaw.length);"),
    )
    .await;
    let post = |size: usize| {
        source
            .api
            .absolute(Method::POST, source.endpoint())
            .body("x".repeat(size))
    };
    assert!(post(64 * 1024 + 1).send().await.expect(413)["error"].is_string());
    post(64 * 1024).send().await.expect(200);
    assert_eq!(source.events(1).await, [json!(64 * 1024)]);
}

#[tokio::test]
async fn a_custom_response_endpoint_answers_many_clients_each_with_its_own() {
    let source = deploy(
        &new_user().await,
        &responder("await null; this.http.respond({ status: 200, body: { n: event.body.n } });"),
    )
    .await;
    let answers = (0..40).map(|n| {
        let request = source
            .api
            .absolute(Method::POST, source.endpoint())
            .json(&json!({ "n": n }));
        tokio::spawn(async move { (n, request.send().await.expect(200)) })
    });
    for answer in answers.collect::<Vec<_>>() {
        let (n, body) = answer.await.expect("an answer");
        assert_eq!(body, json!({ "n": n }));
    }
}
