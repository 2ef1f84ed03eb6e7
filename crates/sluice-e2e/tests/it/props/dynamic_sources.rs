//! Sources of components with `additionalProps`.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Method};

use super::{Form, ask_props, component, save};
use crate::support::{deploy_with, new_user, new_user_on};

const ITEMS: &str = "props: { kind: { type: 'string', reloadProps: true } },
    additionalProps() { return { size: { type: 'integer', max: 9 }, key: { type: 'string', secret: true }, [this.kind]: { type: 'string', default: 'D' } }; },
    run() { this.$emit([this.kind, this.size, this.key, this[this.kind]]); }";

#[rstest]
#[tokio::test]
async fn their_props_are_checked_masked_and_bound_like_the_others(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let code = form.module("", ITEMS);
    let bad = json!({ "component_code": code, "configured_props": { "kind": "box", "size": 10 } });
    let refused = api.post("/sources", &bad).await.expect(422);
    assert_eq!(
        refused["details"]["configured_props"],
        json!(["size must be at most 9", "key is required"])
    );
    let given = json!({ "kind": "box", "size": 9, "key": "hush", "stale": 1 });
    let source = deploy_with(&api, &code, given).await;
    let shown = json!({ "kind": "box", "size": 9, "key": "********", "box": "D" });
    assert_eq!(source.source["configured_props"], shown);
    source.run(json!({})).await;
    source.events(1).await;
    let update = json!({ "configured_props": { "kind": "bag", "size": 1, "key": "********", "bag": { "__lv": { "label": "B", "value": "b" } } } });
    source.api.put(&source.path(""), &update).await.ok();
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await,
        [
            json!(["box", 9, "hush", "D"]),
            json!(["bag", 1, "hush", "b"])
        ]
    );
}

#[tokio::test]
async fn what_was_declared_before_is_taken_by_its_id() {
    let api = new_user().await;
    let code = component(
        "props: { kind: 'string' }, additionalProps() { return { token: { type: 'string', default: String(Math.random()) } }; }, run() {}",
    );
    let id = save(&api, &code).await["id"].clone();
    let values = json!({ "configured_props": { "kind": "a" } });
    let declared = ask_props(&api, &id, values).await.expect(200)["dynamicProps"].clone();
    let token = &declared["configurableProps"][1]["default"];
    let body = json!({ "component_id": id, "configured_props": { "kind": "a" }, "dynamic_props_id": declared["id"] });
    let source = api.post("/sources", &body).await.ok();
    assert_eq!(source["configured_props"]["token"], *token);
    let path = format!(
        "/sources/{}",
        source["id"].as_str().expect("an id of the source")
    );
    let again = json!({ "configured_props": { "kind": "b" }, "dynamic_props_id": declared["id"] });
    let updated = api.put(&path, &again).await.ok();
    assert_eq!(updated["configured_props"]["token"], *token);
    let unknown = json!({ "dynamic_props_id": "dyp_unknown" });
    api.put(&path, &unknown).await.expect(404);
    let unknown =
        json!({ "component_id": id, "configured_props": { "kind": "a" }, "dynamic_props_id": "x" });
    api.post("/sources", &unknown).await.expect(404);
}

#[tokio::test]
async fn an_error_in_additional_props_is_422_with_observations_and_changes_nothing() {
    let api = new_user().await;
    let code = component(
        "props: { kind: 'string' }, additionalProps() { console.log('looking'); if (this.kind === 'bad') throw new Error('no such kind'); return { n: { type: 'integer', default: 1 } }; },
         run() { this.$emit([this.kind, this.n]); }",
    );
    let body = json!({ "component_code": code, "configured_props": { "kind": "bad" } });
    let refused = api.post("/sources", &body).await.expect(422);
    assert_eq!(refused["error"], "observation error");
    let told = refused["observations"].as_array().expect("a list");
    assert_eq!(
        [&told[0]["h"], &told[1]["msg"], &told[2]["err"]["message"]],
        ["additionalProps", "looking", "no such kind"]
    );
    let source = deploy_with(&api, &code, json!({ "kind": "good" })).await;
    let bad = json!({ "configured_props": { "kind": "bad" } });
    source.api.put(&source.path(""), &bad).await.expect(422);
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["good", 1])]);
}

#[rstest]
#[tokio::test]
async fn endpoints_and_timers_may_exist_only_there(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let code = component(
        "props: { live: 'boolean', db: '$.service.db' },
         additionalProps() { return this.live ? { http: { type: '$.interface.http', customResponse: true }, timer: { type: '$.interface.timer', default: { intervalSeconds: 3600 } } } : {}; },
         hooks: { activate() { this.db.set('at', this.http?.endpoint ?? 'nowhere'); } },
         async run(event) { if (event.timestamp) return this.$emit('tick'); await this.http.respond({ status: 201, body: this.db.get('at') }); }",
    );
    let source = deploy_with(&api, &code, json!({ "live": false })).await;
    assert_eq!(
        source.source["configured_props"],
        json!({ "live": false, "db": { "type": "$.service.db" } })
    );
    let live = json!({ "configured_props": { "live": true } });
    let updated = source.api.put(&source.path(""), &live).await.ok();
    assert_eq!(
        updated["configured_props"]["timer"]["interval_seconds"],
        3600
    );
    let endpoint = updated["configured_props"]["http"]["endpoint_url"]
        .as_str()
        .expect("an address");
    assert_eq!(source.events(1).await, ["tick"]);
    let answer = source.api.absolute(Method::POST, endpoint).send().await;
    assert_eq!((answer.status, answer.text.as_str()), (201, endpoint));
    // Renaming asks nothing and changes none of it.
    let renamed = json!({ "name": "other" });
    let renamed = source.api.put(&source.path(""), &renamed).await.ok();
    assert_eq!(renamed["configured_props"], updated["configured_props"]);
    let dead = json!({ "configured_props": { "live": false } });
    source.api.put(&source.path(""), &dead).await.ok();
    let gone = source.api.absolute(Method::POST, endpoint).send().await;
    gone.expect(404);
}

#[tokio::test]
async fn values_are_carried_over_to_new_code_that_declares_them_still() {
    let api = new_user().await;
    let code = component(ITEMS);
    let given = json!({ "kind": "box", "size": 9, "key": "hush", "box": "B" });
    let source = deploy_with(&api, &code, given).await;
    let new = component(
        "props: { kind: 'string' }, additionalProps() { return { key: { type: 'string', secret: true }, [this.kind]: 'string' }; },
         run() { this.$emit([this.kind, this.size ?? null, this.key, this.box]); }",
    );
    let update = json!({ "component_code": new });
    let updated = source.api.put(&source.path(""), &update).await.ok();
    assert_eq!(
        updated["configured_props"],
        json!({ "kind": "box", "key": "********", "box": "B" })
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["box", null, "hush", "B"])]);
    let plain = component("props: { kind: 'string' }, run() {}");
    let update = json!({ "component_code": plain });
    let updated = source.api.put(&source.path(""), &update).await.ok();
    assert_eq!(updated["configured_props"], json!({ "kind": "box" }));
}

#[tokio::test]
async fn asking_leaves_nothing_behind_but_warnings() {
    let code = Form::EsModule.module(
        "const app = { type: 'app', app: 'git', propDefinitions: {} };",
        "props: { db: '$.service.db' }, additionalProps() { this.db.set('x', 1); this.$emit('asked'); return { odd: { propDefinition: [app, 'gone'], optional: true } }; },
         run() { this.$emit(this.db.get('x') ?? null); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({})).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(null)]);
    assert_eq!(source.log_with("gone").await["k"], "warning");
}
