//! Who is told of a workflow's errors.

use serde_json::{Value, json};
use sluice_testkit::{
    Api,
    receiver::{Answer, Receiver},
};

use crate::{
    routing::fixtures::{heard, listener, subscribe},
    support::new_user,
    workflows::fixtures::{
        Workflow, deploy, deploy_running, returned, running, user_of_open_server,
    },
};

/// A workflow that fails as it is told.
async fn failing(api: &Api) -> Workflow {
    deploy_running(api, &[("only", "throw new Error(steps.trigger.event.why)")]).await
}

/// A workflow that takes the errors of `from` and gives them back; it fails when it is run with `fail`.
async fn watching(api: &Api, from: &str) -> Workflow {
    let body = "if (steps.trigger.event.fail) throw new Error('own'); return steps.trigger.event";
    let mut document = running(&[("only", body)]);
    document["triggers"] = json!([{ "events": { "from": from, "event_name": "$errors" } }]);
    deploy(api, &document.to_string()).await
}

fn reasons(runs: &[Value]) -> Vec<&Value> {
    let events = runs.iter().map(|run| returned(run, "only"));
    events.map(|event| &event["error"]["msg"]).collect()
}

#[tokio::test]
async fn errors_reach_a_webhook() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let api = user_of_open_server().await;
    let workflow = failing(&api).await;
    let body = json!({ "url": receiver.url("/") });
    let webhook = api.post("/webhooks", &body).await.ok();
    let id = webhook["id"].as_str().expect("an id");
    subscribe(&api, &workflow.id, "$errors", id).await;
    workflow.run(&json!({ "why": "one" })).await;
    let got = receiver.wait_for(1).await.remove(0);
    assert_eq!(got.json(), workflow.errors(1).await[0]);
    assert_eq!(got.header("x-pd-emitter-id"), Some(workflow.id.as_str()));
    assert_eq!(got.header("x-pd-event-name"), Some("$errors"));
}

#[tokio::test]
async fn errors_reach_a_source() {
    let api = new_user().await;
    let (workflow, listener) = (failing(&api).await, listener(&api).await);
    subscribe(&api, &workflow.id, "$errors", &listener.id).await;
    workflow.run(&json!({ "why": "one" })).await;
    assert_eq!(heard(&listener, 1).await, workflow.errors(1).await);
}

#[tokio::test]
async fn errors_reach_a_workflow() {
    let api = new_user().await;
    let workflow = failing(&api).await;
    let watch = watching(&api, &workflow.id).await;
    workflow.run(&json!({ "why": "one" })).await;
    let run = watch.ended_runs(1).await.remove(0);
    assert_eq!(returned(&run, "only"), &workflow.errors(1).await[0]);
    assert_eq!(run["source_type"], "event");
    assert_eq!(run["emitter_id"], workflow.id.as_str());
}

#[tokio::test]
async fn the_errors_of_all_workflows_reach_one_that_is_not_given_its_own() {
    let api = new_user().await;
    let before = failing(&api).await;
    let watch = watching(&api, "p_*").await;
    let after = failing(&api).await;
    before.run(&json!({ "why": "before" })).await;
    watch.ended_runs(1).await;
    // Its own error is stored, and nobody is told.
    watch.run(&json!({ "fail": true })).await;
    watch.errors(1).await;
    after.run(&json!({ "why": "after" })).await;
    let runs = watch.ended_runs(3).await;
    assert_eq!(runs.len(), 3);
    let told: Vec<Value> = runs
        .into_iter()
        .filter(|run| run["source_type"] == "event")
        .collect();
    assert_eq!(reasons(&told), ["after", "before"]);
}

#[tokio::test]
async fn the_errors_of_sources_reach_a_workflow_too() {
    let api = new_user().await;
    let code = r#"module.exports = {
      name: "thrower", version: "0.0.1", run() { throw new Error("of a source") },
    };"#;
    let source = crate::support::deploy(&api, code).await;
    let watch = watching(&api, "dc_*").await;
    source.run(json!({})).await;
    let runs = watch.ended_runs(1).await;
    assert_eq!(reasons(&runs), ["of a source"]);
}

#[tokio::test]
async fn an_auto_subscription_is_for_workflows_that_come_later() {
    let api = new_user().await;
    let before = failing(&api).await;
    let watch = deploy_running(&api, &[("only", "return steps.trigger.event")]).await;
    let body = json!({ "event_name": "$errors", "listener_id": watch.id });
    api.post("/auto_subscriptions", &body).await.ok();
    let after = failing(&api).await;
    before.run(&json!({ "why": "before" })).await;
    before.errors(1).await;
    after.run(&json!({ "why": "after" })).await;
    let runs = watch.ended_runs(1).await;
    assert_eq!(reasons(&runs), ["after"]);
}

#[tokio::test]
async fn a_retried_step_reports_only_its_last_error() {
    let api = new_user().await;
    let mut document = running(&[("only", "throw new Error(`try ${$.context.run.runs}`)")]);
    document["settings"] = json!({ "retry": { "max_retries": 1, "delay_seconds": 0 } });
    let workflow = deploy(&api, &document.to_string()).await;
    let watch = watching(&api, &workflow.id).await;
    workflow.run_and_wait(&json!({})).await;
    let runs = watch.ended_runs(1).await;
    assert_eq!(reasons(&runs), ["try 2"]);
    assert_eq!(workflow.errors(1).await.len(), 1);
}
