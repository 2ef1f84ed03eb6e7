//! `sluice mcp`.

use serde_json::json;
use sluice_testkit::Backend;

use super::official_client::{call, list, names, over_stdio, value};
use crate::{
    actions::{ECHO, publish},
    support::{new_user, shared_server},
};

#[tokio::test]
async fn messages_are_passed_on_over_standard_input_and_output() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    api.put("/tools/say", &json!({ "component": key }))
        .await
        .ok();
    let url = shared_server(Backend::Sqlite).url();
    let requests = [
        list(),
        call("say", json!({ "text": "one\ntwo" })),
        call("sluice_overview", json!({})),
    ];
    let answer = over_stdio(&api, url, &requests).await;
    assert_eq!(
        answer.connected["server"]["name"], "sluice",
        "{}",
        answer.connected
    );
    assert!(names(&answer.results[0]).contains(&"say"));
    assert_eq!(
        value(&answer.results[1])["return_value"]["text"],
        "one\ntwo"
    );
    assert!(value(&answer.results[2]).is_object());
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_an_error_of_the_request() {
    let api = new_user().await;
    let answer = over_stdio(&api, "http://127.0.0.1:1", &[]).await;
    let message = answer.connected["error"]["message"].as_str().unwrap();
    assert!(message.contains("127.0.0.1:1"), "{message}");
}
