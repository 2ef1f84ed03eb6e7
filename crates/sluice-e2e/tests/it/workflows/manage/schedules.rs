//! Schedules of workflows: when they are due, and what keeps their rhythm.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, wait_for};

use crate::{
    support::{PATIENCE, new_user, new_user_on},
    workflows::fixtures::{ECHO, Workflow, deploy, deploy_with},
};

fn on(schedules: &[&str]) -> String {
    let lines: Vec<_> = schedules
        .iter()
        .map(|schedule| format!("  - schedule: {schedule}"))
        .collect();
    ECHO.replace("  - http: {}", &lines.join("\n"))
}

/// Waits until the schedule is armed, and gives its time.
async fn next_at(workflow: &Workflow, position: usize) -> Value {
    wait_for(PATIENCE, "a schedule to be armed", async || {
        let next = workflow.now().await["triggers"][position]["next_at"].clone();
        next.is_i64().then_some(next)
    })
    .await
}

async fn ticks(workflow: &Workflow) -> usize {
    let runs = workflow.runs("").await;
    runs.iter()
        .filter(|run| run["source_type"] == "timer")
        .count()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn an_interval_runs_at_activation_and_keeps_its_rhythm_through_versions(
    #[case] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let workflow = deploy(
        &api,
        &on(&[
            "{ cron: \"0 9 * * *\", timezone: Europe/Berlin }",
            "{ interval_seconds: 3600 }",
        ]),
    )
    .await;
    let shown = &workflow.shown["triggers"];
    assert_eq!(
        (
            &shown[0]["cron"],
            &shown[0]["timezone"],
            &shown[0]["interval_seconds"]
        ),
        (&json!("0 9 * * *"), &json!("Europe/Berlin"), &Value::Null)
    );
    assert_eq!(
        (&shown[1]["cron"], &shown[1]["interval_seconds"]),
        (&Value::Null, &json!(3600))
    );
    assert!(shown[0]["next_at"].is_i64(), "{shown}");
    workflow.ended_runs(1).await;
    assert_eq!(ticks(&workflow).await, 1);
    let next = next_at(&workflow, 1).await;
    workflow
        .redeploy(&on(&[
            "{ interval_seconds: 3600 }",
            "{ cron: \"0 10 * * *\" }",
        ]))
        .await;
    assert_eq!(next_at(&workflow, 0).await, next, "the one that stayed");
    workflow.run_and_wait(&json!({})).await;
    assert_eq!(ticks(&workflow).await, 1);
}

#[tokio::test]
async fn an_inactive_workflow_is_not_due_and_one_that_is_activated_runs() {
    let api = new_user().await;
    let body = json!({ "document": on(&["{ interval_seconds: 3600 }"]), "active": false });
    let workflow = deploy_with(&api, &body).await;
    assert_eq!(workflow.shown["triggers"][0]["next_at"], Value::Null);
    workflow.change(&json!({ "active": true })).await;
    workflow.ended_runs(1).await;
    next_at(&workflow, 0).await;
    let asleep = workflow.change(&json!({ "active": false })).await;
    assert_eq!(asleep["triggers"][0]["next_at"], Value::Null);
    workflow.change(&json!({ "active": true })).await;
    workflow.ended_runs(2).await;
}
