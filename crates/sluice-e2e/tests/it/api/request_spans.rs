//! The span of a request: its fields in the log.

use serde_json::{Value, json};
use sluice_testkit::{Method, Server, wait_for};

use super::fixtures::EMITTER;
use crate::support::{PATIENCE, deploy, own_server};

const FINISHED: &str = "request finished";

/// The span of the finished request with this id.
async fn span(server: &Server, request_id: &str) -> Value {
    let find = || {
        let logs = server.logs();
        let mut lines = logs
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.find_map(|mut line| {
            let is_wanted =
                line["fields"]["message"] == FINISHED && line["span"]["request_id"] == request_id;
            is_wanted.then(|| line["span"].take())
        })
    };
    wait_for(PATIENCE, "the request in the log", async || find()).await
}

#[tokio::test]
async fn a_request_is_logged_with_its_route_user_invocation_and_outcome() {
    let options = own_server().args(["--log", "info,sluice_server=debug"]);
    let server = Server::start(options).await;
    let api = server.api();
    let source = deploy(&api, EMITTER).await;
    let user = api.get("/users/me").await.expect(200)["data"]["id"].clone();
    let send = async |method: Method, url: &str, id: &str| {
        let request = api.absolute(method, url).header("x-request-id", id);
        let key = format!("Bearer {}", api.key());
        request.header("authorization", &key).send().await
    };

    let url = format!("{}/v1{}?include=id", server.url(), source.path(""));
    send(Method::GET, &url, "by-route").await.expect(200);
    let shown = span(&server, "by-route").await;
    assert_eq!(shown["name"], "request");
    assert_eq!(shown["method"], "GET");
    assert_eq!(shown["path"], "/v1/sources/{id}");
    assert_eq!(shown["user_id"], user);
    assert_eq!(shown["status"], 200);
    assert!(shown["latency_ms"].is_u64(), "{shown}");

    let url = format!("{}/v1/sources/dc_unknown", server.url());
    send(Method::GET, &url, "not-found").await.expect(404);
    assert_eq!(span(&server, "not-found").await["status"], 404);

    let url = format!("{}/secret?key=1", source.endpoint());
    let accepted = send(Method::POST, &url, "by-endpoint").await.expect(200);
    let shown = span(&server, "by-endpoint").await;
    assert_eq!(
        (&shown["path"], &shown["emitter_id"], &shown["status"]),
        (&json!("/e/{key}"), &json!(source.id), &json!(200))
    );
    assert_eq!(shown["invocation_id"], accepted["id"]);
    assert!(!server.logs().contains("secret"));
}
