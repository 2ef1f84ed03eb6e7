//! Versions: numbered, kept as they were deployed, and gone back to.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Method};

use crate::{
    support::{deploy as deploy_source, new_user, new_user_on},
    workflows::fixtures::{ECHO, deploy, deploy_with, returned},
};

const FILED: &str = "name: Filed\nsteps:\n  - name: one\n    file: ./one.mjs\n";

async fn listens_to(api: &Api, workflow: &str) -> Vec<String> {
    let listed = api.get("/users/me/subscriptions").await.ok();
    let rows = listed.as_array().expect("subscriptions").iter();
    rows.filter(|row| row["listener_id"] == workflow)
        .map(|row| row["emitter_id"].as_str().expect("an id").to_owned())
        .collect()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn each_deploy_is_kept_with_its_document_and_files(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let one = |n: u32| format!("export default {{ run: async () => {n} }}");
    let body = |n| json!({ "document": FILED, "files": { "one.mjs": one(n) } });
    let workflow = deploy_with(&api, &body(1)).await;
    workflow.change(&body(2)).await;
    let versions = api.get(&workflow.path("/versions")).await.ok();
    let numbers: Vec<_> = versions
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["number"], &one["running"]))
        .collect();
    assert_eq!(
        numbers,
        [(&json!(2), &json!(true)), (&json!(1), &json!(false))]
    );
    assert_eq!(versions[1]["id"], workflow.shown["deployment_id"]);
    assert!(versions[0]["created_at"].is_i64() && versions[0].get("document").is_none());
    let first = api.get(&workflow.path("/versions/1")).await.ok();
    assert_eq!(
        (&first["number"], &first["document"]),
        (&json!(1), &json!(FILED))
    );
    assert_eq!(first["files"]["one.mjs"], one(1));
    assert_eq!(first["definition"]["steps"][0]["name"], "one");
    for missing in ["/versions/3", "/versions/0", "/versions/x"] {
        api.get(&workflow.path(missing)).await.expect(404);
    }
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn going_back_brings_the_steps_and_the_triggers_of_that_version(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let source = deploy_source(
        &api,
        "module.exports = { name: 'Src', version: '1', run() {} }",
    )
    .await;
    let workflow = deploy(&api, ECHO).await;
    let endpoint = workflow.endpoint().await;
    let second = "name: Second\ntriggers:\n  - schedule: { cron: \"0 9 * * *\" }\n  - events: { from: src }\nsteps:\n  - name: other\n    code: \"export default { run: async () => 2 }\"\n";
    workflow.redeploy(second).await;
    assert_eq!(listens_to(&api, &workflow.id).await, [source.id.as_str()]);
    let back = api
        .post(&workflow.path("/rollback"), &json!({ "version": 1 }))
        .await
        .ok();
    assert_eq!(
        (&back["version"], &back["name"], &back["name_slug"]),
        (&json!(1), &json!("Echo"), &json!("echo"))
    );
    assert_eq!(back["deployment_id"], workflow.shown["deployment_id"]);
    assert_eq!(listens_to(&api, &workflow.id).await, Vec::<String>::new());
    assert_eq!(back["triggers"].as_array().expect("triggers").len(), 1);
    assert_ne!(
        workflow.endpoint().await,
        endpoint,
        "it had gone with its trigger"
    );
    let accepted = workflow.send(&json!("hi")).await.expect(200);
    let run = workflow
        .ended(accepted["id"].as_str().expect("an id"))
        .await;
    assert_eq!(returned(&run, "echo")["body"], "hi", "{run}");
    let third = workflow.redeploy(second).await;
    assert_eq!(third["version"], 3, "after the newest");
    api.post(&workflow.path("/rollback"), &json!({ "version": 9 }))
        .await
        .expect(404);
    api.post(&workflow.path("/rollback"), &json!({}))
        .await
        .expect(400);
}

#[tokio::test]
async fn a_version_whose_emitter_is_gone_cannot_be_gone_back_to() {
    let api = new_user().await;
    let source = deploy_source(
        &api,
        "module.exports = { name: 'Src', version: '1', run() {} }",
    )
    .await;
    let listening = ECHO.replace("- http: {}", "- events: { from: src }");
    let workflow = deploy(&api, &listening).await;
    workflow.redeploy(ECHO).await;
    api.delete(&source.path("")).await;
    let refusal = api
        .post(&workflow.path("/rollback"), &json!({ "version": 1 }))
        .await
        .expect(422);
    assert!(
        refusal["error"]
            .as_str()
            .expect("text")
            .contains(&source.id),
        "{refusal}"
    );
    assert_eq!(workflow.now().await["version"], 2);
}

#[tokio::test]
async fn runs_under_way_go_on_with_the_version_they_began_with() {
    let api = new_user().await;
    let slow = |n: u32| {
        format!(
            "name: Slow\ntriggers:\n  - http: {{}}\nsteps:\n  - name: wait\n    code: \"export default {{ run: ({{ $ }}) => $.flow.suspend(60000) }}\"\n  - name: last\n    code: \"export default {{ run: async () => {n} }}\"\n"
        )
    };
    let workflow = deploy(&api, &slow(1)).await;
    let id = workflow.run(&json!({})).await;
    let waiting = workflow.run_in(&id, "waiting").await;
    workflow.redeploy(&slow(2)).await;
    let url = waiting["waits_for"]["resume_url"].as_str().expect("a url");
    api.absolute(Method::POST, url).send().await.expect(200);
    let run = workflow.ended(&id).await;
    assert_eq!(
        (&run["version"], returned(&run, "last")),
        (&json!(1), &json!(1)),
        "{run}"
    );
    let next: Value = workflow
        .run_in(&workflow.run(&json!({})).await, "waiting")
        .await;
    assert_eq!(next["version"], 2);
}
