//! Workflows that run for the events of sources and of other workflows.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use crate::{
    support::{deploy as deploy_source, new_user, new_user_on},
    workflows::fixtures::{ECHO, deploy, deploy_with, returned},
};

const EMITTER: &str = "module.exports = { name: 'My emitter', version: '1', run(event) { this.$emit(event.data, { name: event.channel }); } }";

fn listening(events: &str) -> String {
    ECHO.replace("- http: {}", &format!("- events: {events}"))
}

async fn subscribed(api: &Api) -> Vec<(String, String)> {
    let listed = api.get("/users/me/subscriptions").await.ok();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let rows = listed.as_array().expect("subscriptions").iter();
    let mut rows: Vec<_> = rows
        .map(|row| (text(&row["emitter_id"]), text(&row["event_name"])))
        .collect();
    rows.sort();
    rows
}

#[rstest]
#[case(Backend::Sqlite)]
#[case(Backend::Postgres)]
#[tokio::test]
async fn a_source_is_listened_to_by_its_slug_or_its_id(#[case] backend: Backend) {
    let api = new_user_on(backend).await;
    let source = deploy_source(&api, EMITTER).await;
    for from in ["my-emitter", source.id.as_str()] {
        let workflow = deploy(&api, &listening(&format!("{{ from: {from} }}"))).await;
        let trigger = json!({ "type": "events", "emitter_id": source.id, "event_name": "" });
        assert_eq!(workflow.shown["triggers"], json!([trigger]));
        source.run(json!({ "data": { "from": from } })).await;
        let run = workflow.ended_runs(1).await[0].clone();
        assert_eq!(
            (&run["source_type"], &run["emitter_id"]),
            (&json!("event"), &json!(source.id)),
            "{run}"
        );
        assert_eq!(returned(&run, "echo"), &json!({ "from": from }));
        api.delete(&workflow.path("")).await;
    }
}

#[tokio::test]
async fn a_workflow_listens_to_another_and_to_errors_of_all() {
    let api = new_user().await;
    let code = "export default defineComponent({ async run({ steps, $ }) { if (steps.trigger.event.fail) throw new Error('told to'); $.send.emit({ raw_event: { n: 1 } }) } })";
    let emitting = json!({ "name": "Emitting", "steps": [{ "name": "emit", "code": code }] });
    let emitter = deploy(&api, &emitting.to_string()).await;
    let listener = deploy(&api, &listening("{ from: emitting }")).await;
    let errors = deploy(&api, &listening("{ from: \"p_*\", event_name: $errors }")).await;
    emitter.run_and_wait(&json!({})).await;
    let run = &listener.ended_runs(1).await[0];
    assert_eq!(run["emitter_id"], emitter.id.as_str(), "{run}");
    assert_eq!(returned(run, "echo"), &json!({ "n": 1 }));
    emitter.run_and_wait(&json!({ "fail": true })).await;
    let run = &errors.ended_runs(1).await[0];
    assert_eq!(returned(run, "echo")["error"]["msg"], "told to", "{run}");
}

#[tokio::test]
async fn a_version_without_the_trigger_ends_the_subscription_and_others_stay() {
    let api = new_user().await;
    let source = deploy_source(&api, EMITTER).await;
    let workflow = deploy(&api, &listening("{ from: my-emitter, event_name: a }")).await;
    let own = json!({ "emitter_id": source.id, "event_name": "b", "listener_id": workflow.id });
    api.post("/subscriptions", &own).await.ok();
    let of = |name: &str| (source.id.clone(), name.to_owned());
    assert_eq!(subscribed(&api).await, [of("a"), of("b")]);
    workflow
        .redeploy(&listening("{ from: my-emitter, event_name: c }"))
        .await;
    assert_eq!(subscribed(&api).await, [of("b"), of("c")]);
    workflow.redeploy(ECHO).await;
    assert_eq!(
        subscribed(&api).await,
        [of("b")],
        "what was subscribed by hand stays"
    );
    api.delete(&workflow.path("")).await;
    assert_eq!(subscribed(&api).await, []);
}

#[tokio::test]
async fn events_are_not_kept_for_a_workflow_that_is_inactive() {
    let api = new_user().await;
    let source = deploy_source(&api, EMITTER).await;
    let body = json!({ "document": listening("{ from: my-emitter }"), "active": false });
    let workflow = deploy_with(&api, &body).await;
    source.run(json!({ "data": "lost" })).await;
    source.events(1).await;
    workflow.change(&json!({ "active": true })).await;
    source.run(json!({ "data": "heard" })).await;
    let runs = workflow.ended_runs(1).await;
    assert_eq!((runs.len(), &runs[0]["event"]), (1, &json!("heard")));
}
