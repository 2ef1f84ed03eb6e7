//! Retention of runs: the newest stay, and what is not over.

use serde_json::{Value, json};
use sluice_testkit::{Server, wait_for};

use crate::{
    support::{PATIENCE, own_server},
    workflows::fixtures::{Workflow, deploy},
};

const DOCUMENT: &str = r"
name: Kept
steps:
  - name: one
    code: |
      export default defineComponent({
        async run({ steps, $ }) { if (steps.trigger.event.wait) $.flow.suspend(600_000); else $.send.emit({ raw_event: 1 }) },
      })
";

async fn left(workflow: &Workflow, expected: &[&Value]) {
    wait_for(PATIENCE, &format!("only {expected:?}"), async || {
        let runs = workflow.runs("").await;
        let ids: Vec<_> = runs.iter().map(|run| &run["id"]).collect();
        (ids == expected).then_some(())
    })
    .await;
}

#[tokio::test]
async fn runs_beyond_retention_go_and_those_that_wait_stay() {
    let server = Server::start(own_server().arg("--run-retention").arg("3")).await;
    let workflow = deploy(&server.api(), DOCUMENT).await;
    let waiting = workflow.run(&json!({ "wait": true })).await;
    workflow.run_in(&waiting, "waiting").await;
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(workflow.run_and_wait(&json!({})).await["id"].clone());
    }
    left(&workflow, &[&ids[7], &ids[6], &ids[5], &json!(waiting)]).await;
    let gone = format!("/runs/{}", ids[0].as_str().expect("an id"));
    workflow.api.get(&workflow.path(&gone)).await.expect(404);
}

#[tokio::test]
async fn runs_that_are_too_old_go_when_somebody_sweeps() {
    let mut server = Server::start(own_server().arg("--run-max-age").arg("1ms")).await;
    let mut workflow = deploy(&server.api(), DOCUMENT).await;
    let waiting = workflow.run(&json!({ "wait": true })).await;
    workflow.run_in(&waiting, "waiting").await;
    let id = workflow.run(&json!({})).await;
    wait_for(PATIENCE, "the run to end", async || {
        let path = workflow.path(&format!("/runs/{id}"));
        let answer = workflow.api.get(&path).await;
        (answer.status == 404 || answer.body["data"]["finished_at_ms"].is_i64()).then_some(())
    })
    .await;
    server.restart().await;
    workflow.api = server.api();
    left(&workflow, &[&json!(waiting)]).await;
}
