//! Keys and scopes limit what an agent can do.

use serde_json::json;
use sluice_testkit::{Api, Backend, Method};

use super::official_client::{call, list, names, refusal, value, with_key};
use crate::{
    actions::{ECHO, publish},
    support::{new_user, shared_server},
};

async fn named(api: &Api, scopes: &[&str]) -> (String, String) {
    let body = json!({ "name": "agent", "scopes": scopes });
    let key = api.post("/users/me/keys", &body).await.ok();
    let text = |field: &str| key[field].as_str().expect("a text").to_owned();
    (text("api_key"), text("id"))
}

#[tokio::test]
async fn without_a_right_key_nothing_is_answered() {
    for key in ["", "0123456789abcdef0123456789abcdef"] {
        let answer = with_key(key, &[]).await;
        assert_eq!(
            answer.connected["error"]["code"], 401,
            "{}",
            answer.connected
        );
    }
    let root = shared_server(Backend::Sqlite).api();
    let answer = root
        .root(Method::POST, "/mcp")
        .json(&json!({}))
        .send()
        .await;
    assert_eq!(answer.status, 401);
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    assert!(
        challenge.starts_with("Bearer resource_metadata="),
        "{challenge}"
    );
    let answer = root
        .root(Method::GET, "/mcp")
        .header("authorization", &format!("Bearer {}", root.key()))
        .send()
        .await;
    assert_eq!(answer.status, 405);
}

#[tokio::test]
async fn a_key_sees_and_calls_the_tools_of_its_scopes() {
    let api = new_user().await;
    let action = publish(&api, ECHO).await;
    let body = json!({ "component": action });
    api.put("/tools/say", &body).await.ok();
    let run = call("say", json!({ "text": "hi" }));
    let deploy = call(
        "sluice_run_action",
        json!({ "key": action, "configured_props": { "text": "a" } }),
    );
    let requests = [list(), run, deploy];

    let (reader, _) = named(&api, &["read"]).await;
    let answer = with_key(&reader, &requests).await.results;
    let found = names(&answer[0]);
    assert!(found.contains(&"sluice_list_events") && !found.contains(&"sluice_run_action"));
    assert!(!found.contains(&"say"));
    assert!(refusal(&answer[1]).contains("scope run"), "{}", answer[1]);
    assert!(
        refusal(&answer[2]).contains("scope deploy"),
        "{}",
        answer[2]
    );

    let (runner, id) = named(&api, &["run"]).await;
    let answer = with_key(&runner, &requests).await.results;
    assert_eq!(names(&answer[0]), ["say"]);
    let ran = value(&answer[1]);
    assert_eq!(ran["return_value"]["text"], "hi");
    assert!(
        refusal(&answer[2]).contains("scope deploy"),
        "{}",
        answer[2]
    );

    // Its runs and changes are recorded with the key.
    let path = format!("/actions/runs/{}", ran["id"].as_str().unwrap());
    assert_eq!(api.get(&path).await.ok()["key_id"], id);
    let log = api.get(&format!("/audit?actor={id}")).await.ok();
    assert_eq!(log.as_array().unwrap().len(), 1);
    assert_eq!(log[0]["action"], "action.run");
    assert_eq!(log[0]["details"]["tool"], "say");
}
