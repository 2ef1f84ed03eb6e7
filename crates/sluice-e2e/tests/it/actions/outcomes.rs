//! What a run of an action returns.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Api, Backend, Method, wait_for};

use super::fixtures::{ECHO, action, run};
use crate::support::{PATIENCE, new_user, new_user_on, shared_server};

#[rstest]
#[tokio::test]
async fn value_exports_and_logs_are_returned_and_recorded(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let props = json!({ "text": "hi {{ steps.x }}", "count": "3", "token": "s3cret" });
    let ran = run(&api, ECHO, props).await;
    assert_eq!(ran["state"], "succeeded", "{ran:#}");
    assert_eq!(
        ran["return_value"],
        json!({ "text": "hi {{ steps.x }}", "count": 3, "token": "s3cret" })
    );
    let exports = json!({ "$summary": "said hi {{ steps.x }}", "length": 16 });
    assert_eq!(ran["exports"], exports);
    assert_eq!(ran["logs"][0]["message"], "echo hi {{ steps.x }}");
    let shown = json!({ "text": "hi {{ steps.x }}", "count": 3, "token": "********" });
    assert_eq!(ran["configured_props"], shown);
    assert_eq!(ran["action"]["key"], "test-echo");
    assert!(ran["duration_ms"].as_i64() >= Some(0));

    let path = format!("/actions/runs/{}", ran["id"].as_str().unwrap());
    assert_eq!(api.get(&path).await.ok(), ran);
    let listed = api.get("/actions/runs").await.ok();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["configured_props"], shown);
    assert!(listed[0].get("return_value").is_none());
    // The workflow behind the runs is not among the user's workflows.
    assert_eq!(api.get("/workflows").await.ok(), json!([]));
    assert_eq!(new_user_on(backend).await.get(&path).await.status, 404);
}

#[tokio::test]
async fn an_error_is_an_outcome_with_the_lines_of_its_author() {
    let api = new_user().await;
    let code = action("\n  console.log('before');\n  throw new TypeError('no such channel');\n");
    let ran = run(&api, &code, json!({})).await;
    assert_eq!(ran["state"], "failed");
    assert_eq!(ran["error"]["code"], "TypeError");
    assert_eq!(ran["error"]["message"], "no such channel");
    let stack = ran["error"]["stack"].as_str().unwrap();
    assert!(stack.contains(":4:"), "{stack}");
    assert_eq!(ran["logs"][0]["message"], "before");
    assert_eq!(ran["return_value"], json!(null));
}

#[tokio::test]
async fn what_cannot_run_is_rejected_and_not_recorded() {
    let api = new_user().await;
    let source = r#"export default { name: "S", version: "1.0.0", type: "source", run() {} }"#;
    for (body, status, word) in [
        (json!({}), 400, "component_id"),
        (json!({ "key": "no-such-action" }), 404, "component"),
        (json!({ "component_code": source }), 422, "source"),
        (json!({ "component_code": "export default {" }), 422, "load"),
        (json!({ "component_code": ECHO }), 422, "text is required"),
        (
            json!({ "component_code": ECHO, "configured_props": { "text": "a", "count": 0, "other": 1 } }),
            422,
            "count must be at least 1",
        ),
        (
            json!({ "component_code": ECHO, "configured_props": { "text": "a" }, "account": "apn_a" }),
            422,
            "uses no app",
        ),
        (
            json!({ "component_code": ECHO, "configured_props": { "text": "a" }, "timeout_seconds": 0 }),
            400,
            "timeout_seconds",
        ),
    ] {
        let answer = api.post("/actions/run", &body).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text);
        assert!(answer.text.contains(word), "{body}: {}", answer.text);
    }
    assert_eq!(api.get("/actions/runs").await.ok(), json!([]));
}

#[tokio::test]
async fn an_action_that_takes_too_long_is_ended() {
    let api = new_user().await;
    let body = json!({
        "component_code": action("await new Promise(() => {});"),
        "timeout_seconds": 1,
    });
    let ran = api.post("/actions/run", &body).await.ok();
    assert_eq!(ran["state"], "failed");
    assert_eq!(ran["error"]["code"], "Timeout");
}

#[tokio::test]
async fn a_run_need_not_be_waited_for_and_can_be_replayed() {
    let api = new_user().await;
    let code = action("return await new Promise((end) => setTimeout(() => end('late'), 300));");
    let body = json!({ "component_code": code, "wait": false });
    let started = api.post("/actions/run", &body).await.ok();
    assert!(
        ["queued", "running"].contains(&started["state"].as_str().unwrap()),
        "{started:#}"
    );
    let path = format!("/actions/runs/{}", started["id"].as_str().unwrap());
    let ended = async |path: &str| {
        wait_for(PATIENCE, "the end of the run", async || {
            let run = api.get(path).await.ok();
            run["finished_at_ms"].is_i64().then_some(run)
        })
        .await
    };
    let ran = ended(&path).await;
    assert_eq!(ran["return_value"], "late");

    let again = api.post(&format!("{path}/replay"), &json!({})).await.ok();
    assert_ne!(again["id"], ran["id"]);
    assert_eq!(again["replay_of"], ran["id"]);
    let path = format!("/actions/runs/{}", again["id"].as_str().unwrap());
    assert_eq!(ended(&path).await["return_value"], "late");
}

#[tokio::test]
async fn sends_are_released_and_a_suspended_run_is_resumed() {
    let api = new_user().await;
    let code = action(
        "if (!$.context.run.context) { $.send.emit({ raw_event: 1 }); return $.flow.rerun(60000, { n: 1 }); } return 'resumed';",
    );
    let ran = run(&api, &code, json!({})).await;
    assert_eq!(ran["state"], "waiting", "{ran:#}");
    assert_eq!(ran["sends"][0]["kind"], "emit");
    let url = ran["waits_for"]["resume_url"].as_str().unwrap();
    let resumed = api.absolute(Method::POST, url).send().await;
    resumed.expect(200);
    let path = format!("/actions/runs/{}", ran["id"].as_str().unwrap());
    let ended = wait_for(PATIENCE, "the end of the run", async || {
        let run = api.get(&path).await.ok();
        run["finished_at_ms"].is_i64().then_some(run)
    })
    .await;
    assert_eq!(ended["return_value"], "resumed");
}

#[tokio::test]
async fn runs_of_an_action_share_its_store_and_run_at_once() {
    let api = new_user().await;
    let code = r#"
    export default {
      name: "Counter", key: "test-counter", version: "1.0.0", type: "action",
      props: { db: "$.service.db", name: "string" },
      async run() {
        const count = (this.db.get(this.name) ?? 0) + 1;
        this.db.set(this.name, count);
        return count;
      },
    };"#;
    for expected in 1..=2 {
        let ran = run(&api, code, json!({ "name": "a" })).await;
        assert_eq!(ran["return_value"], expected, "{ran:#}");
    }
    let calls = (0..5).map(|n| run(&api, code, json!({ "name": format!("n{n}") })));
    for ran in futures_util::future::join_all(calls).await {
        assert_eq!(ran["return_value"], 1, "{ran:#}");
    }
}

#[tokio::test]
async fn runs_are_in_the_audit_log_with_their_key() {
    let api = new_user().await;
    let body = json!({ "name": "agent", "scopes": ["read", "deploy"] });
    let key = api.post("/users/me/keys", &body).await.ok();
    let url = shared_server(Backend::Sqlite).url();
    let agent = Api::new(url, key["api_key"].as_str().unwrap());
    let ran = run(&agent, &action("return 1;"), json!({})).await;
    assert_eq!(ran["key_id"], key["id"]);
    let log = api.get("/audit?action=action.run").await.ok();
    assert_eq!(log[0]["target"]["id"], ran["id"]);
    assert_eq!(log[0]["actor"]["credential_id"], key["id"]);
}
