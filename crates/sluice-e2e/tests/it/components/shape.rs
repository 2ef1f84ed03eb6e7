//! What the server keeps of a component: its own properties and the rows of its props.

use serde_json::json;

use super::component;
use crate::support::{deploy, new_user};

#[tokio::test]
async fn configurable_props_are_what_was_declared_in_its_order() {
    let code = component(
        "props: {
            db: '$.service.db',
            text: { type: 'string', label: 'Text', description: 'A *text*', optional: true, default: 'x' },
            number: { type: 'integer', min: 1, max: 9 },
            choice: { type: 'string[]', options: ['a', { label: 'B', value: 'b' }] },
            remote: { type: 'string', async options() { return []; } },
            timer: { type: '$.interface.timer', default: { intervalSeconds: 60 } },
            http: { type: '$.interface.http', customResponse: true },
        }, run() {}",
    );
    let api = new_user().await;
    let saved = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    assert_eq!(
        saved["configurable_props"],
        json!([
            { "name": "db", "type": "$.service.db" },
            { "name": "text", "type": "string", "label": "Text", "description": "A *text*", "optional": true, "default": "x" },
            { "name": "number", "type": "integer", "min": 1, "max": 9 },
            { "name": "choice", "type": "string[]", "options": ["a", { "label": "B", "value": "b" }] },
            { "name": "remote", "type": "string", "remoteOptions": true },
            { "name": "timer", "type": "$.interface.timer", "default": { "intervalSeconds": 60 } },
            { "name": "http", "type": "$.interface.http", "customResponse": true },
        ])
    );
}

#[tokio::test]
async fn name_key_and_version_of_a_component_are_those_of_its_code() {
    let api = new_user().await;
    let code = "export default { name: 'My Source', key: 'my-source', version: 3, description: 'What it does', run() {} }";
    let saved = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    assert_eq!(
        [&saved["name"], &saved["version"], &saved["code"]],
        [&json!("My Source"), &json!("3"), &json!(code)]
    );
    assert_eq!(
        api.get("/components/my-source").await.ok()["id"],
        saved["id"]
    );
    let source = api
        .post("/sources", &json!({ "component_id": saved["id"] }))
        .await
        .ok();
    assert_eq!(
        [&source["name"], &source["name_slug"]],
        [&json!("my-source"), &json!("my-source")]
    );
}

#[tokio::test]
async fn a_component_may_be_computed_and_spread_from_a_common_part() {
    let code = r#"
        const common = {
            props: { db: "$.service.db" },
            methods: { greet() { return `hello from ${this.who()}`; }, who() { return "common"; } },
            hooks: { async activate() { this.db.set("activated", this.who()); } },
        };
        export default {
            ...common,
            name: "Spread", version: "0.0.1",
            methods: { ...common.methods, who() { return "component"; } },
            hooks: { ...common.hooks, async deploy() { await common.hooks.activate.call(this); this.$emit(this.db.get("activated")); } },
            async run() { this.$emit(this.greet()); },
        };"#;
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await,
        [json!("component"), json!("hello from component")]
    );
}

#[tokio::test]
async fn a_source_with_a_timer_and_no_run_emits_the_timer_event() {
    let source = deploy(
        &new_user().await,
        &component("props: { timer: '$.interface.timer' }"),
    )
    .await;
    let event = source.events(1).await.remove(0);
    assert_eq!(event["interval_seconds"], 3600);
    assert!(event["timestamp"].is_i64(), "{event}");
}

#[tokio::test]
async fn a_source_that_is_run_by_hand_without_an_event_gets_an_object() {
    let source = deploy(
        &new_user().await,
        &component("run(event) { this.$emit([typeof event, event]); }"),
    )
    .await;
    source.api.post(&source.path("/run"), &json!({})).await.ok();
    assert_eq!(source.events(1).await, [json!(["object", {}])]);
}
