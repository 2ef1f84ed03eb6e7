//! The order of hooks, what they see, and what an update keeps.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::{component, http, open_user};
use crate::support::{Deployed, deploy, deploy_with, new_user, new_user_on};

/// Code whose hooks and `run` emit who they are.
fn traced(version: &str) -> String {
    component(&format!(
        "props: {{ label: {{ type: 'string', default: 'x' }}, db: '$.service.db', http: '$.interface.http' }},
         methods: {{ say(what) {{ this.$emit(`${{what}} {version} ${{this.label}}`); }} }},
         hooks: {{ deploy() {{ this.say('deploy'); }}, async activate() {{ await null; this.say('activate'); }}, deactivate() {{ this.say('deactivate'); }} }},
         run() {{ this.say('run'); }}"
    ))
}

async fn put(source: &Deployed, body: Value) -> Value {
    source.api.put(&source.path(""), &body).await.ok()
}

#[rstest]
#[tokio::test]
async fn hooks_run_in_the_order_of_create_update_deactivate_and_activate(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, &traced("v1")).await;
    put(&source, json!({ "component_code": traced("v2") })).await;
    put(&source, json!({ "configured_props": { "label": "y" } })).await;
    put(&source, json!({ "active": false })).await;
    put(&source, json!({ "active": true })).await;
    let expected = [
        "deploy v1 x",
        "activate v1 x",
        "deactivate v1 x",
        "activate v2 x",
        "deactivate v2 x",
        "activate v2 y",
        "deactivate v2 y",
        "activate v2 y",
    ];
    assert_eq!(source.events(8).await, expected);
}

#[tokio::test]
async fn a_new_name_runs_no_hook_and_changes_the_slug() {
    let source = deploy(&new_user().await, &traced("v1")).await;
    let renamed = put(&source, json!({ "name": "Other Name" })).await;
    assert_eq!(
        [&renamed["name"], &renamed["name_slug"]],
        ["Other Name", "other-name"]
    );
    source.run(json!({})).await;
    assert_eq!(source.events(3).await[2], "run v1 x");
}

#[tokio::test]
async fn an_update_of_an_inactive_source_that_leaves_it_inactive_runs_no_hook() {
    let source = deploy(&new_user().await, &traced("v1")).await;
    put(&source, json!({ "active": false })).await;
    put(
        &source,
        json!({ "active": false, "component_code": traced("v2") }),
    )
    .await;
    put(&source, json!({ "active": true })).await;
    assert_eq!(
        source.events(4).await[2..],
        ["deactivate v1 x", "activate v2 x"]
    );
}

#[tokio::test]
async fn an_update_keeps_id_endpoint_and_events() {
    let source = deploy(&new_user().await, &traced("v1")).await;
    let updated = put(
        &source,
        json!({ "component_code": traced("v2"), "name": "new" }),
    )
    .await;
    assert_eq!(
        [&updated["id"], &updated["configured_props"]["http"]],
        [
            &source.source["id"],
            &source.source["configured_props"]["http"]
        ]
    );
    assert_ne!(updated["component_id"], source.source["component_id"]);
    source.send(&json!({})).await.expect(200);
    assert_eq!(source.events(5).await[4], "run v2 x");
}

#[tokio::test]
async fn active_left_out_of_an_update_means_true() {
    let source = deploy(&new_user().await, &traced("v1")).await;
    assert_eq!(
        put(&source, json!({ "active": false })).await["active"],
        false
    );
    assert_eq!(
        put(&source, json!({ "name": "awake" })).await["active"],
        true
    );
    assert_eq!(source.events(4).await[3], "activate v1 x");
}

#[tokio::test]
async fn a_hook_sees_props_methods_db_and_its_endpoint() {
    let code = component(
        "props: { label: 'string', db: '$.service.db', http: '$.interface.http', timer: '$.interface.timer' },
         methods: { activate() { return 'the method'; } },
         hooks: { activate(event) { this.db.set('a', 1); this.$emit([this.label, this.db.get('a'), this.http.endpoint, this.activate()]); } },
         run() {}",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "label": "here" })).await;
    assert_eq!(
        source.events(1).await,
        [json!(["here", 1, source.endpoint(), "the method"])]
    );
}

#[tokio::test]
async fn the_endpoint_answers_while_activate_runs_in_create_and_update() {
    let code = |version: &str| {
        component(&format!(
            "props: {{ http: {{ type: '$.interface.http', customResponse: true }} }},
             hooks: {{ async activate() {{
                 const answer = await fetch(`${{this.http.endpoint}}/challenge`, {{ method: 'POST', body: 'x' }});
                 this.$emit([answer.status, await answer.text()]); }} }},
             run(event) {{ this.http.respond({{ status: 201, body: '{version} ' + event.path }}); }}"
        ))
    };
    let source = deploy(&open_user().await, &code("v1")).await;
    put(&source, json!({ "component_code": code("v2") })).await;
    assert_eq!(
        source.events(2).await,
        [json!([201, "v1 /challenge"]), json!([201, "v2 /challenge"])]
    );
}

#[tokio::test]
async fn an_endpoint_that_an_update_adds_answers_while_activate_runs() {
    let source = deploy(&open_user().await, &component("run() {}")).await;
    let code = component(
        "props: { http: { type: '$.interface.http', customResponse: true } },
         hooks: { async activate() { this.$emit((await fetch(this.http.endpoint)).status); } }, run() { this.http.respond({ status: 202 }); }",
    );
    put(&source, json!({ "component_code": code })).await;
    assert_eq!(source.events(1).await, [202]);
}

#[tokio::test]
async fn delete_runs_deactivate_once_and_only_when_active() {
    let api = open_user().await;
    let witness = deploy(&api, &http("this.$emit(event.body);")).await;
    let code = component(
        "props: { url: 'string', label: 'string' }, hooks: { async deactivate() { await fetch(this.url, { method: 'POST', body: `deactivate ${this.label}` }); } }, run() {}",
    );
    for label in ["active", "asleep"] {
        let source = deploy_with(
            &api,
            &code,
            json!({ "url": witness.endpoint(), "label": label }),
        )
        .await;
        if label == "asleep" {
            put(&source, json!({ "active": false })).await;
        }
        assert_eq!(api.delete(&source.path("")).await.status, 204);
        api.get(&source.path("")).await.expect(404);
    }
    witness.send(&json!("marker")).await.expect(200);
    assert_eq!(
        witness.events(3).await,
        ["deactivate active", "deactivate asleep", "marker"]
    );
}

#[tokio::test]
async fn requests_accepted_before_a_deactivation_wait_until_the_source_is_active_again() {
    let code = component(
        "props: { http: '$.interface.http' }, hooks: { activate() { this.$emit('activate'); } }, async run(event) { await new Promise((done) => setTimeout(done, 5)); this.$emit(event.body); }",
    );
    let source = deploy(&new_user().await, &code).await;
    for n in 0..5 {
        source.send(&json!(n)).await.expect(200);
    }
    put(&source, json!({ "active": false })).await;
    put(&source, json!({ "active": true })).await;
    let mut events = source.events(7).await;
    events.retain(Value::is_number);
    events.sort_by_key(Value::as_i64);
    assert_eq!(events, [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn an_update_that_comes_while_the_process_starts_runs_the_new_code() {
    let source = deploy(
        &new_user().await,
        &component("run() { this.$emit('old'); }"),
    )
    .await;
    source.run(json!({})).await;
    put(
        &source,
        json!({ "component_code": component("run() { this.$emit('new'); }") }),
    )
    .await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await[1], "new");
}

#[tokio::test]
async fn an_update_that_is_refused_does_not_disturb_what_runs() {
    let code = "let runs = 0; let go; const gone = new Promise((resolve) => { go = resolve; });\n"
        .to_owned()
        + &component(
            "props: { a: 'integer' }, async run(event) { if (event.go) return go(); runs += 1; this.$emit('begun', { name: 'progress' }); await gone; this.$emit(runs); }",
        );
    let source = deploy_with(&new_user().await, &code, json!({ "a": 1 })).await;
    source.run(json!({})).await;
    source.run(json!({ "flush": true })).await;
    source
        .api
        .put(
            &source.path(""),
            &json!({ "configured_props": { "a": "x" } }),
        )
        .await
        .expect(422);
    source.run(json!({ "go": true })).await;
    let mut events = source.events(4).await;
    events.retain(serde_json::Value::is_number);
    assert_eq!(events, [2, 2]);
}

#[tokio::test]
async fn the_endpoint_answers_while_activate_runs_for_a_source_that_was_inactive() {
    let code = component(
        "props: { http: { type: '$.interface.http', customResponse: true } },
         hooks: { async activate() { this.$emit((await fetch(this.http.endpoint)).status); } }, run() { this.http.respond({ status: 202 }); }",
    );
    let source = deploy(&open_user().await, &code).await;
    put(&source, json!({ "active": false })).await;
    put(&source, json!({ "active": true })).await;
    assert_eq!(source.events(2).await, [202, 202]);
}
