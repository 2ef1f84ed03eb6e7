//! Subscriptions take workflows as emitters and as listeners.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use crate::{
    support::{deploy as deploy_source, new_user_on},
    workflows::fixtures::{ECHO, deploy},
};

async fn emitters_of(api: &Api, listener: &str) -> Vec<String> {
    let listed = api.get("/users/me/subscriptions").await.ok();
    let rows = listed.as_array().expect("subscriptions").iter();
    rows.filter(|row| row["listener_id"] == listener)
        .map(|row| row["emitter_id"].as_str().expect("an id").to_owned())
        .collect()
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_workflow_is_an_emitter_and_a_listener(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let code = "module.exports = { name: 'S', version: '1', run(event) { this.$emit(event); } }";
    let source = deploy_source(&api, code).await;
    let workflow = deploy(&api, ECHO).await;
    let body =
        |emitter: &str, listener: &str| json!({ "emitter_id": emitter, "listener_id": listener });
    api.post("/subscriptions", &body(&workflow.id, &source.id))
        .await
        .ok();
    let made = api
        .post("/subscriptions", &body(&source.id, &workflow.id))
        .await
        .ok();
    assert_eq!(made["listener_id"], workflow.id.as_str());
    api.post("/subscriptions", &body("p_*", &workflow.id))
        .await
        .ok();
    let missing: [(&str, &str, &str); 2] = [
        ("p_unknown", &source.id, "emitter"),
        (&source.id, "p_unknown", "listener"),
    ];
    for (emitter, listener, what) in missing {
        let refusal = api
            .post("/subscriptions", &body(emitter, listener))
            .await
            .expect(404);
        assert_eq!(refusal["error"], format!("{what} not found"));
    }
    let query = format!(
        "/subscriptions?emitter_id={}&listener_id={}",
        workflow.id, source.id
    );
    assert_eq!(api.delete(&query).await.status, 204);
    source.run(json!({ "n": 1 })).await;
    let run: &Value = &workflow.ended_runs(1).await[0];
    assert_eq!(run["emitter_id"], source.id.as_str());
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_new_workflow_gets_what_auto_subscriptions_promise(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let listener = deploy(&api, ECHO).await;
    let body = json!({ "event_name": "$errors", "listener_id": listener.id });
    api.post("/auto_subscriptions", &body).await.ok();
    let later = deploy(&api, ECHO).await;
    let mut emitters = emitters_of(&api, &listener.id).await;
    emitters.sort();
    assert_eq!(emitters, ["*", later.id.as_str()]);
}
