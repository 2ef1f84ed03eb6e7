//! What another site can make a signed-in browser do: nothing.

use serde_json::json;
use sluice_testkit::{Backend, Method, guarded_operations};

use super::fixtures::Browser;
use crate::{
    api::fixtures::{EMITTER, refused},
    support::{new_user, shared_server},
};

#[tokio::test]
async fn every_operation_that_changes_something_needs_the_header() {
    let browser = Browser::sign_in(&new_user().await).await;
    let mut tried = 0;
    for (method, path) in guarded_operations(&browser.api).await {
        let path = path.strip_prefix("/v1").expect("the API is below /v1");
        if method == "GET" {
            continue;
        }
        let method: Method = method.parse().expect("a method");
        let answer = browser.bare(method.clone(), path).send().await;
        let error = refused(answer, 403);
        assert!(
            error.contains("x-sluice-console"),
            "{method} {path}: {error}"
        );
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
    browser.get("/session").await.ok();
}

#[tokio::test]
async fn a_request_from_another_origin_is_refused_and_changes_nothing() {
    let browser = Browser::sign_in(&new_user().await).await;
    let port = shared_server(Backend::Sqlite).addr().rsplit(':').next();
    let neighbour = format!("http://localhost:{}", port.expect("a port"));
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", "null"),
        ("origin", "https://example.com"),
        ("origin", "http://127.0.0.1"),
        ("origin", neighbour.as_str()),
    ] {
        let request = browser
            .request(Method::POST, "/sources")
            .header(name, value)
            .json(&json!({ "component_code": EMITTER }));
        let error = refused(request.send().await, 403);
        assert!(error.contains("another site"), "{name} {value}: {error}");
    }
    let sources = browser.get("/users/me/sources").await.expect(200);
    assert_eq!(sources["page_info"]["total_count"], 0);
}

#[tokio::test]
async fn a_request_from_the_console_is_served() {
    let browser = Browser::sign_in(&new_user().await).await;
    let request = browser
        .request(Method::POST, "/sources")
        .header("sec-fetch-site", "same-origin")
        .header("origin", shared_server(Backend::Sqlite).url())
        .json(&json!({ "component_code": EMITTER }));
    request.send().await.ok();
}

#[tokio::test]
async fn reading_needs_neither() {
    let browser = Browser::sign_in(&new_user().await).await;
    for method in [Method::GET, Method::HEAD] {
        let request = browser.bare(method, "/users/me");
        let request = request.header("sec-fetch-site", "cross-site");
        assert_eq!(request.send().await.status, 200);
    }
}

#[tokio::test]
async fn signing_in_needs_the_same() {
    let api = new_user().await;
    let sign_in = || {
        let request = api.root(Method::POST, "/v1/session");
        request.json(&json!({ "api_key": api.key() }))
    };
    refused(sign_in().send().await, 403);
    let elsewhere = sign_in()
        .header("x-sluice-console", "1")
        .header("origin", "https://example.com");
    let answer = elsewhere.send().await;
    assert_eq!(answer.header("set-cookie"), None);
    refused(answer, 403);
}
