//! The body of every refusal, and the statuses that no other file is about.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Method, Plan, operations, raw_http};

use super::fixtures::{
    EMITTER, IDLE, SMALL_API_BODY, SMALL_BODY, field_names, idle_source, limited_server, refused,
};
use crate::support::{deploy, new_user, unique_name};

fn is_prop_error(error: &Value) -> bool {
    let fields = ["prop", "code", "message"];
    field_names(error) == fields && fields.iter().all(|field| error[*field].is_string())
}

fn is_code_error(error: &Value) -> bool {
    let known = ["message", "file", "line", "column"];
    let fields = field_names(error);
    error["message"].is_string() && fields.iter().all(|field| known.contains(field))
}

#[track_caller]
fn assert_is_error_body(answer: &Answer) {
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{}",
        answer.text
    );
    assert!(answer.body["error"].is_string(), "{}", answer.text);
    for field in field_names(&answer.body) {
        match field {
            "error" => {}
            "details" => {
                let details = answer.body["details"].as_object().expect("an object");
                for (field, errors) in details {
                    let errors = errors.as_array().expect("a list");
                    let is_valid = match field.as_str() {
                        "props" => is_prop_error,
                        "code" => is_code_error,
                        _ => Value::is_string,
                    };
                    assert!(errors.iter().all(is_valid), "{field} in {}", answer.text);
                }
            }
            "observations" => assert!(answer.body["observations"].is_array()),
            other => panic!("{other} in {}", answer.text),
        }
    }
}

#[tokio::test]
async fn every_refusal_has_the_same_body() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let sources = |body: Value| api.request(Method::POST, "/sources").json(&body);
    let requests = [
        (400, sources(json!({}))),
        (401, api.root(Method::GET, "/v1/users/me")),
        (404, api.request(Method::GET, "/sources/dc_unknown")),
        (404, api.request(Method::GET, "/nonsense")),
        (404, api.root(Method::GET, "/nonsense")),
        (404, api.root(Method::POST, "/e/unknown")),
        (404, api.root(Method::GET, "/uploads/unknown")),
        (405, api.request(Method::PATCH, "/sources")),
        (415, api.request(Method::POST, "/sources").body("x")),
        (422, sources(json!({ "component_code": "oops(" }))),
        (
            422,
            sources(json!({ "component_code": IDLE, "configured_props": { "x": 1 } })),
        ),
        (
            422,
            sources(
                json!({ "component_code": IDLE.replace("run", "hooks: { deploy() { throw 1 } }, run") }),
            ),
        ),
    ];
    for (status, request) in requests {
        let answer = request.send().await;
        assert_is_error_body(&answer);
        answer.expect(status);
    }
    api.put(&source.path(""), &json!({ "active": false }))
        .await
        .expect(200);
    let conflict = api.post(&source.path("/run"), &json!({})).await;
    assert_is_error_body(&conflict);
    conflict.expect(409);
}

#[tokio::test]
async fn unknown_paths_are_404_for_anyone() {
    let api = new_user().await;
    for path in [
        "/nonsense",
        "/v1",
        "/v1/",
        "/v2/users/me",
        "/v1/people/you",
        "/v1/sources/dc_a/b",
        "/v1//users/me",
        "/e",
        "/e/",
    ] {
        refused(api.root(Method::GET, path).send().await, 404);
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_405_and_allow_names_those_it_takes() {
    let api = new_user().await;
    let mut paths: Vec<String> = operations(&api)
        .await
        .into_iter()
        .map(|(_, path)| path)
        .collect();
    paths.dedup();
    for path in paths {
        let answer = api.root(Method::PATCH, &path).send().await;
        let allowed = answer.header("allow").expect("an Allow header").to_owned();
        assert!(
            !allowed.is_empty() && !allowed.contains("PATCH"),
            "{path}: {allowed}"
        );
        refused(answer, 405);
    }
}

#[tokio::test]
async fn a_body_over_the_api_limit_is_413() {
    let api = limited_server().user(&unique_name(), Plan::Free).await;
    let source = idle_source(&api).await;
    let body = |size: usize| format!(r#"{{"name": "x", "event": "{}"}}"#, "x".repeat(size - 26));
    for (method, path) in [
        (Method::PUT, source.path("")),
        (Method::POST, source.path("/run")),
    ] {
        for (size, status) in [(SMALL_API_BODY, 200), (SMALL_API_BODY + 1, 413)] {
            let request = api
                .request(method.clone(), &path)
                .header("Content-Type", "application/json");
            assert_eq!(body(size).len(), size);
            request.body(body(size)).send().await.expect(status);
        }
    }
}

#[tokio::test]
async fn a_body_over_the_endpoint_limit_is_413() {
    let api = limited_server().user(&unique_name(), Plan::Paid).await;
    let source = deploy(&api, EMITTER).await;
    for (size, status) in [(SMALL_BODY, 200), (SMALL_BODY + 1, 413)] {
        let request = api.absolute(Method::POST, source.endpoint());
        request.body(vec![b'x'; size]).send().await.expect(status);
    }
}

#[tokio::test]
async fn a_body_that_does_not_announce_its_size_is_413_once_it_is_over_the_limit() {
    let api = limited_server().api();
    let head = format!(
        "POST /v1/sources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n{:x}\r\n",
        api.key(),
        SMALL_API_BODY + 1
    );
    let body = [
        head.as_bytes(),
        &vec![b' '; SMALL_API_BODY + 1],
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    let answer = raw_http(limited_server().addr(), &body).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("x-request-id: "), "{answer}");
}
