//! How parameters arrive: JSON bodies, content types, and the query string.

use serde_json::json;
use sluice_testkit::{Answer, Api, Method};

use super::fixtures::{IDLE, escaped, idle_source, refused};
use crate::support::new_user;

const JSON: &str = "application/json";

async fn post(api: &Api, path: &str, content_type: Option<&str>, body: &str) -> Answer {
    let mut request = api.request(Method::POST, path);
    if let Some(content_type) = content_type {
        request = request.header("Content-Type", content_type);
    }
    request.body(body.to_owned()).send().await
}

#[tokio::test]
async fn authentication_rule_2_a_body_with_another_content_type_is_415() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let body = json!({ "component_code": IDLE, "name": "x" }).to_string();
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/jsonp"),
        Some(""),
    ] {
        for path in ["/components", "/sources", &source.path("/run")] {
            refused(post(&api, path, content_type, &body).await, 415);
        }
        let request = api
            .request(Method::PUT, &source.path(""))
            .body(body.clone());
        refused(
            request
                .header("Content-Type", content_type.unwrap_or("x/y"))
                .send()
                .await,
            415,
        );
    }
}

#[tokio::test]
async fn json_is_taken_with_parameters_and_suffixes_in_any_case() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    for content_type in [
        JSON,
        "application/json; charset=utf-8",
        "APPLICATION/JSON;x",
        "application/vnd.api+json",
    ] {
        post(&api, &source.path("/run"), Some(content_type), "{}")
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn an_empty_body_counts_as_an_empty_object_and_parameters_come_in_the_query_string() {
    let api = new_user().await;
    let code = escaped(IDLE);
    for (content_type, body) in [(Some(JSON), ""), (Some(JSON), "{}"), (None, "")] {
        let path =
            format!("/sources?component_code={code}&name=from%20query&configured_props=%7B%7D");
        let source = post(&api, &path, content_type, body).await.ok();
        assert_eq!(source["name"], "from query");
        let component = post(
            &api,
            &format!("/components?component_code={code}"),
            content_type,
            body,
        )
        .await
        .ok();
        assert_eq!(component["code"], IDLE);
    }
}

#[tokio::test]
async fn put_takes_parameters_in_the_query_string() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let request = api.request(Method::PUT, &source.path("?active=false&name=123"));
    let updated = request.send().await.ok();
    assert_eq!(
        (&updated["active"], &updated["name"]),
        (&json!(false), &json!("123"))
    );
}

#[tokio::test]
async fn the_body_wins_over_the_query_string() {
    let api = new_user().await;
    let source = idle_source(&api).await;
    let updated = api
        .put(
            &source.path("?name=query&active=false"),
            &json!({ "name": "body" }),
        )
        .await
        .ok();
    assert_eq!(
        (&updated["name"], &updated["active"]),
        (&json!("body"), &json!(false))
    );
}

#[tokio::test]
async fn malformed_json_is_400_and_says_where() {
    let api = new_user().await;
    for (body, place) in [
        ("{", "line 1 column 1"),
        ("{\n  \"name\": }", "line 2 column 11"),
        ("{} {}", "line 1 column 4"),
        ("{\"a\": 1,}", "line 1"),
        ("{'a': 1}", "line 1"),
        ("\u{feff}{}", "line 1"),
        (" ", "line 1"),
        ("{\"a\": NaN}", "line 1"),
        ("{\"a\": 01}", "line 1"),
        ("{\"a\": \"\t\"}", "line 1"),
    ] {
        let error = refused(post(&api, "/sources", Some(JSON), body).await, 400);
        assert!(error.contains(place), "{body:?}: {error}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_an_object_is_400() {
    let api = new_user().await;
    for body in ["[]", "null", "1", "\"text\"", "true", "[{}]"] {
        let error = refused(post(&api, "/sources", Some(JSON), body).await, 400);
        assert!(error.contains("object"), "{body}: {error}");
    }
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_400() {
    let api = new_user().await;
    let request = api
        .request(Method::POST, "/sources")
        .header("Content-Type", JSON);
    refused(request.body(&b"{\"name\": \"\xff\"}"[..]).send().await, 400);
}

#[tokio::test]
async fn unknown_fields_and_parameters_are_ignored() {
    let api = new_user().await;
    let body = json!({ "component_code": IDLE, "colour": "red", "__proto__": {} });
    api.post("/components?flavour=sweet&flavour=sour", &body)
        .await
        .expect(200);
    api.get("/users/me?flavour=sweet&flavour=sour&limit=x")
        .await
        .expect(200);
}

#[tokio::test]
async fn a_parameter_given_twice_in_the_query_string_of_a_get_is_400() {
    let api = new_user().await;
    refused(api.get("/users/me?include=id&include=email").await, 400);
}
