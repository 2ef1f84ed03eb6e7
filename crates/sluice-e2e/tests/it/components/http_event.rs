//! The event that a request to an endpoint becomes.

use serde_json::{Value, json};
use sluice_testkit::{Method, raw_http};

use super::responder;
use crate::support::{Deployed, deploy, new_user, shared_server};

async fn echo() -> Deployed {
    deploy(
        &new_user().await,
        &responder("this.http.respond({ status: 200, body: event });"),
    )
    .await
}

async fn event(source: &Deployed, method: Method, rest: &str) -> Value {
    let url = format!("{}{rest}", source.endpoint());
    source.api.absolute(method, &url).send().await.expect(200)
}

#[tokio::test]
async fn an_event_has_method_path_query_headers_url_and_client_ip() {
    let source = echo().await;
    let url = format!("{}/a/b%20c?x=1&y=%C3%A4+b&x=2&flag", source.endpoint());
    let answer = source
        .api
        .absolute(Method::PUT, &url)
        .header("X-Custom-Name", "Value")
        .body("text")
        .send()
        .await;
    let event = answer.expect(200);
    assert_eq!([&event["method"], &event["path"]], ["PUT", "/a/b%20c"]);
    assert_eq!(
        event["query"],
        json!({ "x": ["1", "2"], "y": "ä b", "flag": "" })
    );
    assert_eq!(event["headers"]["x-custom-name"], "Value");
    assert_eq!(event["client_ip"], "127.0.0.1");
    assert_eq!(event["url"], url);
    assert_eq!([&event["bodyRaw"], &event["body"]], ["text", "text"]);
}

#[tokio::test]
async fn the_path_of_the_bare_endpoint_is_a_slash() {
    let source = echo().await;
    for (rest, path, query) in [
        ("", "/", json!({})),
        ("/", "/", json!({})),
        ("?a=1", "/", json!({ "a": "1" })),
        ("/a/", "/a/", json!({})),
    ] {
        let event = event(&source, Method::GET, rest).await;
        assert_eq!(
            (&event["path"], &event["query"]),
            (&json!(path), &query),
            "{rest:?}"
        );
    }
}

#[tokio::test]
async fn any_method_is_taken() {
    let source = echo().await;
    for method in [
        "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "PURGE",
    ] {
        let event = event(&source, method.parse().expect("a method"), "").await;
        assert_eq!(event["method"], method);
    }
    let head = source
        .api
        .absolute(Method::HEAD, source.endpoint())
        .send()
        .await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn header_names_are_lower_case_and_repeated_headers_are_joined() {
    let source = echo().await;
    let server = shared_server(sluice_testkit::Backend::Sqlite);
    let path = source.endpoint().trim_start_matches(server.url());
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nX-UPPER: Kept\r\nX-Two: 1\r\nx-two: 2\r\nConnection: close\r\n\r\n",
        server.addr()
    );
    let answer =
        String::from_utf8_lossy(&raw_http(server.addr(), request.as_bytes()).await).into_owned();
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let event: Value = serde_json::from_str(body).expect("the event");
    assert_eq!(event["headers"]["x-upper"], "Kept");
    assert_eq!(event["headers"]["x-two"], "1, 2");
    let names = event["headers"].as_object().expect("headers");
    assert!(
        names.keys().all(|name| *name == name.to_lowercase()),
        "{names:?}"
    );
}

#[tokio::test]
async fn the_endpoint_a_component_sees_is_the_one_the_api_shows() {
    let code = responder("this.http.respond({ status: 200, body: this.http.endpoint });");
    let source = deploy(&new_user().await, &code).await;
    assert_eq!(source.send(&json!({})).await.text, source.endpoint());
    let key = source.endpoint().rsplit('/').next().unwrap_or_default();
    assert!(
        key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{key}"
    );
}
