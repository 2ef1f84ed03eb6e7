//! `x-request-id`: on every response, the client's own when it sent a sane one.

use std::collections::HashSet;

use serde_json::json;
use sluice_testkit::{Method, Request};

use super::fixtures::{SMALL_API_BODY, limited_server};
use crate::{
    server::User,
    support::{EMITTER, deploy, new_user},
};

const NAME: &str = "x-request-id";

/// One request for every kind of answer, with its status.
async fn requests(api: &User) -> Vec<(u16, Request)> {
    let source = deploy(api, EMITTER).await;
    let json_post = |path: &str, body: &str| {
        api.request(Method::POST, path)
            .header("Content-Type", "application/json")
            .body(body.to_owned())
    };
    vec![
        (200, api.request(Method::GET, "/users/me")),
        (202, api.request(Method::DELETE, &source.path("/events"))),
        (400, json_post("/sources", "{")),
        (401, api.root(Method::GET, "/v1/users/me")),
        (404, api.request(Method::GET, "/sources/dc_unknown")),
        (404, api.request(Method::GET, "/nonsense")),
        (404, api.root(Method::GET, "/nonsense")),
        (200, api.root(Method::GET, "/")),
        (405, api.request(Method::PATCH, "/sources")),
        (415, api.request(Method::POST, "/sources").body("x")),
        (422, json_post("/sources", r#"{"component_code": "oops("}"#)),
        (200, api.root(Method::GET, "/healthz")),
        (200, api.root(Method::GET, "/metrics")),
        (200, api.root(Method::GET, "/openapi.json")),
        (200, api.absolute(Method::POST, source.endpoint())),
        (
            204,
            api.absolute(Method::OPTIONS, source.endpoint())
                .header("Access-Control-Request-Method", "PUT"),
        ),
        (
            404,
            api.root(Method::POST, "/e/00000000000000000000000000000000"),
        ),
        (404, api.root(Method::GET, "/uploads/unknown")),
        (204, api.request(Method::DELETE, &source.path(""))),
    ]
}

#[tokio::test]
async fn every_response_has_a_request_id_of_its_own() {
    let api = new_user().await;
    let mut seen = HashSet::new();
    for (status, request) in requests(&api).await {
        let answer = request.send().await;
        let id = answer.header(NAME).map(str::to_owned);
        let text = answer.text.clone();
        answer.expect(status);
        assert!(seen.insert(id.expect("a request id")), "{status}: {text}");
    }
}

#[tokio::test]
async fn an_over_large_body_gets_a_request_id_too() {
    let api = limited_server().await.operator();
    let request = api
        .request(Method::POST, "/sources")
        .header("Content-Type", "application/json");
    let answer = request.body(vec![b' '; SMALL_API_BODY + 1]).send().await;
    assert!(answer.header(NAME).is_some());
    answer.expect(413);
}

#[tokio::test]
async fn a_sane_request_id_of_the_client_is_kept_on_every_response() {
    let api = new_user().await;
    for (status, request) in requests(&api).await {
        let answer = request.header(NAME, "my-id/1:2").send().await;
        assert_eq!(answer.header(NAME), Some("my-id/1:2"), "{status}");
        answer.expect(status);
    }
}

#[tokio::test]
async fn a_request_id_that_is_not_1_to_128_visible_characters_is_replaced() {
    let api = new_user().await;
    for given in ["", "a b", "a\tb", &"x".repeat(129)] {
        let answer = api
            .request(Method::GET, "/users/me")
            .header(NAME, given)
            .send()
            .await;
        let id = answer.header(NAME).expect("a request id");
        assert!(!id.is_empty() && id != given, "{given:?}: {id:?}");
    }
    let longest = "x".repeat(128);
    let answer = api
        .request(Method::GET, "/users/me")
        .header(NAME, &longest)
        .send()
        .await;
    assert_eq!(answer.header(NAME), Some(longest.as_str()));
    let body = json!(answer.body);
    assert!(body["data"].is_object());
}
