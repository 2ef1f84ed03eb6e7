//! Actions that the user enabled.

use serde_json::json;

use super::official_client::{call, list, over_http, refusal, value};
use crate::{
    actions::{ECHO, action, publish},
    support::new_user,
};

#[tokio::test]
async fn an_action_is_a_tool_with_its_props_as_schema() {
    let api = new_user().await;
    let key = publish(&api, ECHO).await;
    let body = json!({ "component": key, "configured_props": { "token": "s3cret" }, "description": "Say it." });
    api.put("/tools/say", &body).await.ok();
    let requests = [
        list(),
        call("say", json!({ "text": "hi", "count": 3 })),
        call("say", json!({})),
        call("say", json!({ "text": "hi", "token": "stolen" })),
        call("no_such_tool", json!({})),
    ];
    let answer = over_http(&api, &requests).await.results;
    let tools = answer[0]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "say").unwrap();
    assert_eq!(tool["description"], "Say it.");
    assert_eq!(tool["title"], "Echo");
    let schema = &tool["inputSchema"];
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["properties"]["count"]["minimum"], 1);
    assert!(schema["properties"].get("token").is_none());

    let ran = value(&answer[1]);
    assert_eq!(
        ran["return_value"],
        json!({ "text": "hi", "count": 3, "token": "s3cret" })
    );
    assert_eq!(ran["logs"][0]["message"], "echo hi");
    assert!(ran.get("configured_props").is_none());
    assert!(refusal(&answer[2]).contains("text is required"));
    assert!(refusal(&answer[3]).contains("is preset"));
    assert!(refusal(&answer[4]).contains("tool not found"));
}

#[tokio::test]
async fn an_action_that_fails_is_an_error_with_its_stack_and_logs() {
    let api = new_user().await;
    let code = action("console.log('before'); throw new Error('no such channel');")
        .replace("version:", "key: \"test-fails\", version:");
    let key = publish(&api, &code).await;
    api.put("/tools/fails", &json!({ "component": key }))
        .await
        .ok();
    let answer = over_http(&api, &[call("fails", json!({}))]).await.results;
    let refused = refusal(&answer[0]);
    for word in ["no such channel", "before", "test-fails"] {
        assert!(refused.contains(word), "{word}: {refused}");
    }
}
