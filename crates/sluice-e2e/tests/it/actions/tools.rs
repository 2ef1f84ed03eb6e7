//! Tools: actions that are enabled for programs.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::fixtures::{ECHO, publish};
use crate::support::new_user;

async fn enable(api: &Api, name: &str, body: Value) -> Value {
    api.put(&format!("/tools/{name}"), &body).await.ok()
}

#[tokio::test]
async fn preset_props_are_hidden_from_programs_and_cannot_be_replaced() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    let preset = json!({ "count": 7, "token": "s3cret" });
    let tool = enable(
        &api,
        "say",
        json!({ "component": key, "configured_props": preset }),
    )
    .await;
    assert_eq!(
        tool["configured_props"],
        json!({ "count": 7, "token": "********" })
    );
    assert_eq!(
        tool["input_schema"],
        json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "title": "Text", "description": "What to return." },
            },
            "required": ["text"],
            "additionalProperties": false,
        })
    );
    assert_eq!(tool["description"], "Returns what it gets.");
    assert_eq!(api.get("/tools").await.ok(), json!([tool]));

    let run = async |props: Value| {
        let body = json!({ "configured_props": props });
        api.post("/tools/say/run", &body).await
    };
    let ran = run(json!({ "text": "a" })).await.ok();
    assert_eq!(
        ran["return_value"],
        json!({ "text": "a", "count": 7, "token": "s3cret" })
    );
    let refused = run(json!({ "text": "a", "count": 1 })).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("is preset"), "{}", refused.text);
    assert_eq!(run(json!({})).await.status, 422);

    // A secret that comes back masked stays.
    let body = json!({ "component": key, "configured_props": { "token": "********" } });
    enable(&api, "say", body).await;
    let ran = run(json!({ "text": "a" })).await.ok();
    assert_eq!(
        ran["return_value"],
        json!({ "text": "a", "count": 2, "token": "s3cret" })
    );

    assert_eq!(api.delete("/tools/say").await.status, 204);
    assert_eq!(api.delete("/tools/say").await.status, 404);
    assert_eq!(run(json!({ "text": "a" })).await.status, 404);
}

#[tokio::test]
async fn only_actions_with_sound_values_become_tools() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    let long = "x".repeat(65);
    for (name, body, status, word) in [
        ("a%20b", json!({ "component": key }), 400, "name"),
        (long.as_str(), json!({ "component": key }), 400, "name"),
        ("sluice_x", json!({ "component": key }), 400, "sluice_"),
        ("a", json!({}), 400, "component"),
        ("a", json!({ "component": "no-such" }), 404, "component"),
        (
            "a",
            json!({ "component": key, "configured_props": { "count": 0 } }),
            422,
            "at least 1",
        ),
        (
            "a",
            json!({ "component": key, "configured_props": { "other": 0 } }),
            422,
            "not a prop",
        ),
    ] {
        let answer = api.put(&format!("/tools/{name}"), &body).await;
        assert_eq!(answer.status, status, "{name} {body}: {}", answer.text);
        assert!(answer.text.contains(word), "{name} {body}: {}", answer.text);
    }
    assert_eq!(api.get("/tools").await.ok(), json!([]));
}
