//! Workflow error summaries: every field of them.

use std::sync::LazyLock;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::{
    support::new_user,
    workflows::fixtures::{Workflow, deploy_running},
};

/// What one failed run left behind, for all tests of this file to look at.
#[derive(Clone)]
struct Failed {
    workflow_id: String,
    shown: Value,
    owner: Value,
    run: Value,
    summary: Value,
}

async fn summaries(workflow: &Workflow) -> Value {
    workflow.errors(1).await;
    let path = workflow.path("/$errors/event_summaries?expand=event");
    workflow.api.get(&path).await.expect(200)
}

async fn failed() -> Failed {
    static FAILED: LazyLock<Mutex<Option<Failed>>> = LazyLock::new(Mutex::default);
    let mut known = FAILED.lock().await;
    if let Some(failed) = &*known {
        return failed.clone();
    }
    let api = new_user().await;
    let bodies = [
        ("fine", "return 1"),
        ("broken", "throw new RangeError('out of range')"),
    ];
    let workflow = deploy_running(&api, &bodies).await;
    let answer = workflow.send(&json!({ "n": 1 })).await.expect(200);
    let run = workflow.ended(answer["id"].as_str().expect("an id")).await;
    let page = summaries(&workflow).await;
    let failed = Failed {
        workflow_id: workflow.id.clone(),
        shown: workflow.shown.clone(),
        owner: api.get("/users/me").await.ok()["id"].clone(),
        run,
        summary: page["data"][0].clone(),
    };
    known.insert(failed).clone()
}

/// `2026-11-15T12:00:00.123Z`, or without the fraction.
fn is_iso_date(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let bytes = text.as_bytes();
    bytes.len() >= 20 && bytes[10] == b'T' && text.ends_with('Z')
}

#[tokio::test]
async fn id_and_indexed_at_ms() {
    let Failed { summary, .. } = failed().await;
    let id = summary["id"].as_str().expect("an id");
    let (ms, sequence) = id.split_once('-').expect("two numbers");
    assert_eq!(ms.parse::<i64>().ok(), summary["indexed_at_ms"].as_i64());
    assert!(sequence.parse::<u64>().is_ok(), "{id}");
}

#[tokio::test]
async fn original_event() {
    let Failed { summary, run, .. } = failed().await;
    let event = &summary["event"]["original_event"];
    assert_eq!(event, &run["event"]);
    assert_eq!(
        (&event["method"], &event["body"]),
        (&json!("POST"), &json!({ "n": 1 }))
    );
}

#[tokio::test]
async fn original_context_id() {
    let Failed { summary, run, .. } = failed().await;
    assert_eq!(summary["event"]["original_context"]["id"], run["id"]);
}

#[tokio::test]
async fn original_context_ts() {
    let Failed { summary, .. } = failed().await;
    let ts = &summary["event"]["original_context"]["ts"];
    assert!(is_iso_date(ts), "{ts}");
}

#[tokio::test]
async fn original_context_workflow_id() {
    let failed = failed().await;
    let context = &failed.summary["event"]["original_context"];
    assert_eq!(context["workflow_id"], failed.workflow_id);
}

#[tokio::test]
async fn original_context_deployment_id() {
    let Failed { summary, shown, .. } = failed().await;
    let id = &summary["event"]["original_context"]["deployment_id"];
    assert_eq!(id, &shown["deployment_id"]);
    assert!(id.as_str().is_some_and(|id| id.starts_with("d_")), "{id}");
}

#[tokio::test]
async fn original_context_source_type() {
    let Failed { summary, .. } = failed().await;
    let context = &summary["event"]["original_context"];
    assert_eq!(context["source_type"], "http");
}

#[tokio::test]
async fn original_context_verified() {
    let Failed { summary, .. } = failed().await;
    assert_eq!(summary["event"]["original_context"]["verified"], false);
}

#[tokio::test]
async fn original_context_owner_id() {
    let Failed { summary, owner, .. } = failed().await;
    assert_eq!(summary["event"]["original_context"]["owner_id"], owner);
}

#[tokio::test]
async fn original_context_platform_version() {
    let Failed { summary, .. } = failed().await;
    assert_eq!(
        summary["event"]["original_context"]["platform_version"],
        env!("CARGO_PKG_VERSION")
    );
}

#[tokio::test]
async fn error_code() {
    let Failed { summary, .. } = failed().await;
    assert_eq!(summary["event"]["error"]["code"], "RangeError");
}

#[tokio::test]
async fn error_cell_id() {
    let Failed { summary, shown, .. } = failed().await;
    let id = &summary["event"]["error"]["cellId"];
    assert_eq!(id, &shown["steps"][1]["cell_id"]);
    assert!(id.as_str().is_some_and(|id| id.starts_with("c_")), "{id}");
}

#[tokio::test]
async fn error_ts() {
    let Failed { summary, .. } = failed().await;
    let ts = &summary["event"]["error"]["ts"];
    assert!(is_iso_date(ts), "{ts}");
    let begun = summary["event"]["original_context"]["ts"].as_str();
    assert!(ts.as_str() >= begun, "{ts} and {begun:?}");
}

#[tokio::test]
async fn error_stack() {
    let Failed { summary, .. } = failed().await;
    let stack = summary["event"]["error"]["stack"].as_str().expect("text");
    assert!(stack.starts_with("RangeError: out of range\n"), "{stack}");
    assert!(stack.contains("broken."), "it names the step: {stack}");
}

#[tokio::test]
async fn error_msg() {
    let Failed { summary, .. } = failed().await;
    assert_eq!(summary["event"]["error"]["msg"], "out of range");
}

#[tokio::test]
async fn metadata_emitter_id() {
    let failed = failed().await;
    for metadata in [
        &failed.summary["metadata"],
        &failed.summary["event"]["metadata"],
    ] {
        assert_eq!(metadata["emitter_id"], failed.workflow_id);
    }
}

#[tokio::test]
async fn metadata_emit_id() {
    let Failed { summary, .. } = failed().await;
    let id = &summary["event"]["metadata"]["emit_id"];
    assert_eq!(id.as_str().map(str::len), Some(27));
    assert_eq!(id, &summary["metadata"]["emit_id"]);
}

#[tokio::test]
async fn metadata_name() {
    let Failed { summary, .. } = failed().await;
    assert_eq!(summary["event"]["metadata"]["name"], "$errors");
    assert_eq!(summary["metadata"]["name"], "$errors");
}

#[tokio::test]
async fn the_code_of_an_error_is_its_own_when_it_has_one() {
    let body = "throw Object.assign(new Error('no file'), { code: 'ENOENT' })";
    let workflow = deploy_running(&new_user().await, &[("only", body)]).await;
    workflow.run(&json!({})).await;
    assert_eq!(workflow.errors(1).await[0]["error"]["code"], "ENOENT");
}

#[tokio::test]
async fn whatever_is_thrown_makes_an_error() {
    let api = new_user().await;
    for (thrown, msg) in [
        ("'text'", "text"),
        ("null", "the component threw null"),
        ("{ a: 1 }", r#"{"a":1}"#),
        ("new Error()", ""),
    ] {
        let workflow = deploy_running(&api, &[("only", &format!("throw {thrown}"))]).await;
        workflow.run(&json!({})).await;
        let error = workflow.errors(1).await[0]["error"].clone();
        assert_eq!(error["msg"], msg, "{thrown}: {error}");
        assert!(error["code"].is_string() && error["stack"].is_string());
    }
}

#[tokio::test]
async fn an_error_stops_the_run_and_is_no_emit() {
    let bodies = [
        ("first", "throw new Error('no')"),
        ("second", "$.send.emit('it must not come to this')"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(run["steps"].as_array().map(Vec::len), Some(1));
    workflow.errors(1).await;
    let path = workflow.path("/event_summaries");
    let page = workflow.api.get(&path).await.expect(200);
    assert_eq!(page["data"], json!([]));
    let path = workflow.path("/event_summaries?event_name=$errors");
    let page = workflow.api.get(&path).await.expect(200);
    assert_eq!(page["data"].as_array().map(Vec::len), Some(1));
}
