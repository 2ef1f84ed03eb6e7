//! Replay: a new run for the event of an old one, from the start or from the step that failed.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use crate::{
    support::{new_user, new_user_on},
    workflows::fixtures::{FRAGILE, Workflow, deploy, returned},
};

async fn replay(workflow: &Workflow, run: &Value, from: &str) -> Value {
    let path = format!("/runs/{}/replay", run["id"].as_str().expect("an id"));
    let body = json!({ "from": from });
    let begun = workflow.api.post(&workflow.path(&path), &body).await.ok();
    workflow.ended(begun["id"].as_str().expect("an id")).await
}

async fn replay_many(workflow: &Workflow, body: &Value) -> u64 {
    let answer = workflow
        .api
        .post(&workflow.path("/runs/replay"), body)
        .await
        .ok();
    answer["count"].as_u64().expect("a number")
}

/// The same workflow, which does not fail any more.
fn mended() -> String {
    FRAGILE.replace("if (steps.trigger.event.fail) throw", "if (false) throw")
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn from_the_failed_step_what_was_completed_is_not_run_again(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, FRAGILE).await;
    let failed = workflow.run_and_wait(&json!({ "fail": true })).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    workflow.redeploy(&mended()).await;
    let again = replay(&workflow, &failed, "failed").await;
    assert_eq!(again["state"], "succeeded", "{again}");
    assert_eq!(
        (&again["version"], &again["event"]),
        (&json!(2), &failed["event"])
    );
    assert_eq!(
        (&again["replay_of"], &again["source_type"]),
        (&failed["id"], &json!("manual"))
    );
    assert_ne!(again["id"], failed["id"]);
    assert_eq!(
        again["steps"][0], failed["steps"][0],
        "the record of the first run"
    );
    assert_eq!(returned(&again, "third"), "one two three");
    assert_eq!(
        workflow.run_of(failed["id"].as_str().expect("an id")).await,
        failed,
        "which stays as it is"
    );
}

#[tokio::test]
async fn from_the_start_everything_runs_again() {
    let api = new_user().await;
    let workflow = deploy(&api, FRAGILE).await;
    let first = workflow.run_and_wait(&json!({ "n": 1 })).await;
    let second = replay(&workflow, &first, "start").await;
    assert_eq!(
        (&second["state"], &second["event"]),
        (&json!("succeeded"), &json!({ "n": 1 }))
    );
    assert_ne!(
        second["steps"][0]["exports"]["at"],
        first["steps"][0]["exports"]["at"]
    );
    let third = replay(&workflow, &second, "start").await;
    assert_eq!(
        third["replay_of"], first["id"],
        "the first run for the event"
    );
}

#[tokio::test]
async fn steps_that_are_others_now_run_again() {
    let api = new_user().await;
    let workflow = deploy(&api, FRAGILE).await;
    let failed = workflow.run_and_wait(&json!({ "fail": true })).await;
    let renamed = mended()
        .replace("name: first", "name: begin")
        .replace("steps.first", "steps.begin");
    workflow.redeploy(&renamed).await;
    let again = replay(&workflow, &failed, "failed").await;
    assert_eq!(again["state"], "succeeded", "{again}");
    assert_eq!(again["steps"].as_array().expect("steps").len(), 3);
    assert_eq!(again["steps"][0]["name"], "begin");
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn all_that_failed_are_replayed_once_and_a_range_is_what_it_says(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let workflow = deploy(&api, FRAGILE).await;
    let mut runs = Vec::new();
    for fail in [true, false, true, false] {
        runs.push(
            workflow
                .run_and_wait(&json!({ "fail": fail, "n": runs.len() }))
                .await,
        );
    }
    let still = replay_many(&workflow, &json!({ "state": "failed" })).await;
    assert_eq!(still, 2);
    let ended = workflow.ended_runs(6).await;
    assert!(ended[..2].iter().all(|run| run["state"] == "failed"));
    workflow.redeploy(&mended()).await;
    let count = replay_many(&workflow, &json!({ "state": "failed", "from": "failed" })).await;
    assert_eq!(count, 2, "of several runs for one event the last");
    let ended = workflow.ended_runs(8).await;
    let replayed: Vec<_> = ended[..2]
        .iter()
        .map(|run| (&run["replay_of"], &run["state"]))
        .collect();
    assert_eq!(
        replayed,
        [
            (&runs[2]["id"], &json!("succeeded")),
            (&runs[0]["id"], &json!("succeeded"))
        ],
        "oldest first"
    );
    assert_eq!(
        replay_many(&workflow, &json!({ "state": "failed" })).await,
        0,
        "they have succeeded"
    );
    let range = json!({ "start_id": runs[1]["id"], "end_id": runs[2]["id"] });
    assert_eq!(replay_many(&workflow, &range).await, 2);
    workflow.ended_runs(10).await;
    for bad in [
        json!({ "from": "end" }),
        json!({ "state": "succeeded" }),
        json!({ "start_id": "x" }),
        json!({ "start_id": runs[2]["id"], "end_id": runs[1]["id"] }),
    ] {
        api.post(&workflow.path("/runs/replay"), &bad)
            .await
            .expect(400);
    }
}

#[tokio::test]
async fn what_is_not_over_or_did_not_fail_is_refused() {
    let api = new_user().await;
    let document = "name: Waits\nsteps:\n  - name: wait\n    code: \"export default { run: ({ $ }) => { $.flow.suspend(60000) } }\"\n";
    let workflow = deploy(&api, document).await;
    let id = workflow.run(&json!({})).await;
    workflow.run_in(&id, "waiting").await;
    let path = workflow.path(&format!("/runs/{id}/replay"));
    api.post(&path, &json!({})).await.expect(409);
    assert_eq!(replay_many(&workflow, &json!({})).await, 0);
    let fragile = deploy(&api, FRAGILE).await;
    let run = fragile.run_and_wait(&json!({})).await;
    let path = fragile.path(&format!(
        "/runs/{}/replay",
        run["id"].as_str().expect("an id")
    ));
    api.post(&path, &json!({ "from": "failed" }))
        .await
        .expect(409);
    fragile.change(&json!({ "active": false })).await;
    api.post(&path, &json!({})).await.expect(409);
}
