//! Values of props: what is taken, what is refused, and what the code sees.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend};

use super::{component, texts};
use crate::support::{deploy, deploy_with, new_user, new_user_on};

const EVERY_TYPE: &str = "props: {
    flag: 'boolean', flags: 'boolean[]', count: 'integer', counts: { type: 'integer[]' }, text: { type: 'string' }, texts: 'string[]',
    thing: 'object', things: 'object[]', whatever: 'any', whatevers: 'any[]',
}, run() { const { flag, flags, count, counts, text, texts, thing, things, whatever, whatevers } = this;
    this.$emit({ flag, flags, count, counts, text, texts, thing, things, whatever, whatevers }); }";

async fn prop_faults(api: &Api, props: &str, given: Value) -> Vec<String> {
    let code = component(&format!("props: {{ {props} }}, run() {{}}"));
    let body = json!({ "component_code": code, "configured_props": given });
    let refused = api.post("/sources", &body).await.expect(422);
    assert_eq!(refused["error"], "record invalid");
    texts(&refused["details"]["configured_props"])
}

/// The errors as data: `prop code`, each with the same message as in the list of sentences.
async fn prop_codes(api: &Api, props: &str, given: Value) -> Vec<String> {
    let code = component(&format!("props: {{ {props} }}, run() {{}}"));
    let body = json!({ "component_code": code, "configured_props": given });
    let refused = api.post("/sources", &body).await.expect(422);
    let errors = refused["details"]["props"].as_array().expect("a list");
    let part = |error: &Value, name: &str| error[name].as_str().expect("text").to_owned();
    let messages: Vec<String> = errors.iter().map(|error| part(error, "message")).collect();
    assert_eq!(messages, texts(&refused["details"]["configured_props"]));
    errors
        .iter()
        .map(|error| format!("{} {}", part(error, "prop"), part(error, "code")))
        .collect()
}

#[rstest]
#[tokio::test]
async fn every_type_and_its_array_reach_the_code_as_configured(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let given = json!({
        "flag": false, "flags": [true, false], "count": -7, "counts": [0, 9_007_199_254_740_991_i64], "text": "", "texts": ["ä", "🦀"],
        "thing": { "a": { "b": [null] } }, "things": [{}, { "x": 1.5 }], "whatever": [1, "two", null], "whatevers": [null, {}, 3],
    });
    let source = deploy_with(
        &new_user_on(backend).await,
        &component(EVERY_TYPE),
        given.clone(),
    )
    .await;
    assert_eq!(source.source["configured_props"], given);
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [given]);
}

#[tokio::test]
async fn all_missing_and_bad_values_are_reported_at_once() {
    let given = json!({ "flag": "yes", "flags": true, "count": 1.5, "counts": ["one"], "text": {}, "texts": [null], "thing": [], "more": 1 });
    let code = component(EVERY_TYPE);
    let body = json!({ "component_code": code, "configured_props": given });
    let refused = new_user().await.post("/sources", &body).await.expect(422);
    assert_eq!(refused["error"], "record invalid");
    assert_eq!(
        refused["details"]["configured_props"],
        json!([
            "flag must be true or false",
            "flags must be a list of booleans",
            "count must be an integer",
            "counts must be a list of integers",
            "text must be a string",
            "texts must be a list of strings",
            "thing must be an object",
            "things is required",
            "whatever is required",
            "whatevers is required",
            "more is not a prop of this component",
        ])
    );
}

#[tokio::test]
async fn every_kind_of_error_has_its_code() {
    let props = "missing: 'string', typed: 'integer', low: { type: 'integer', min: 2 }, choice: { type: 'string', options: ['a'] }, \
        store: 'data_store', request: 'http_request', timer: '$.interface.timer', fixed: { type: 'integer', default: 'x' }";
    let given = json!({
        "typed": "x", "low": 1, "choice": "b", "store": " ", "request": { "url": "ftp://x" },
        "timer": { "cron": "never" }, "more": 1,
    });
    assert_eq!(
        prop_codes(&new_user().await, props, given).await,
        [
            "missing required",
            "typed wrong_type",
            "low out_of_range",
            "choice not_an_option",
            "store invalid_value",
            "request invalid_value",
            "timer invalid_schedule",
            "fixed invalid_default",
            "more unknown_prop",
        ]
    );
}

#[tokio::test]
async fn min_max_and_options_are_checked() {
    let api = new_user().await;
    let props = "low: { type: 'integer', min: 2 }, high: { type: 'integer[]', max: 5 }, \
        choice: { type: 'string', options: ['a', { label: 'B', value: 'b' }] }, several: { type: 'integer[]', options: [1, 2] }";
    let faults = prop_faults(
        &api,
        props,
        json!({ "low": 1, "high": [5, 6], "choice": "B", "several": [1, 3] }),
    )
    .await;
    assert_eq!(
        faults,
        [
            "low must be at least 2",
            "high must be at most 5",
            "choice must be one of a, b",
            "several must be one of 1, 2"
        ]
    );
    let code = component(&format!("props: {{ {props} }}, run() {{}}"));
    let at_the_edge = json!({ "low": 2, "high": [5], "choice": "b", "several": [2, 1] });
    let source = deploy_with(&api, &code, at_the_edge.clone()).await;
    assert_eq!(source.source["configured_props"], at_the_edge);
}

#[tokio::test]
async fn options_given_as_a_method_take_any_value() {
    let code = component("props: { a: { type: 'string', options() { return ['x']; } } }, run() {}");
    let source = deploy_with(&new_user().await, &code, json!({ "a": "y" })).await;
    assert_eq!(source.source["configured_props"], json!({ "a": "y" }));
}

#[tokio::test]
async fn an_optional_prop_that_is_left_out_is_undefined() {
    let code = component(
        "props: { a: { type: 'string', optional: true }, b: { type: 'integer', optional: true } },
         run() { this.$emit([this.a === undefined, 'a' in this, this.b === undefined]); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "b": null })).await;
    assert_eq!(source.source["configured_props"], json!({}));
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!([true, false, true])]);
}

#[tokio::test]
async fn a_default_fills_in_for_optional_and_for_required_props() {
    let code = component(
        "props: { a: { type: 'string', optional: true, default: 'A' }, b: { type: 'integer', default: 2 }, c: { type: 'string[]', default: ['x'] } },
         run() { this.$emit([this.a, this.b, this.c]); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "b": 0 })).await;
    assert_eq!(
        source.source["configured_props"],
        json!({ "a": "A", "b": 0, "c": ["x"] })
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["A", 0, ["x"]])]);
}

#[tokio::test]
async fn a_computed_default_is_captured_when_the_source_is_deployed() {
    let code = component(
        "props: { token: { type: 'string', default: String(Math.random()) } }, run() { this.$emit(this.token); }",
    );
    let source = deploy(&new_user().await, &code).await;
    let token = source.source["configured_props"]["token"].clone();
    source.run(json!({})).await;
    source
        .api
        .put(
            &source.path(""),
            &json!({ "component_code": format!("{code} // again") }),
        )
        .await
        .ok();
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [token.clone(), token]);
}

#[tokio::test]
async fn a_secret_is_masked_outside_and_readable_inside_and_the_mask_keeps_it() {
    let code = component(
        "props: { key: { type: 'string', secret: true }, other: 'string' }, run() { this.$emit([this.key, this.other]); }",
    );
    let source = deploy_with(
        &new_user().await,
        &code,
        json!({ "key": "hush", "other": "1" }),
    )
    .await;
    assert_eq!(source.source["configured_props"]["key"], "********");
    let masked = json!({ "configured_props": { "key": "********", "other": "2" } });
    assert_eq!(
        source.api.put(&source.path(""), &masked).await.ok()["configured_props"]["key"],
        "********"
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["hush", "2"])]);
}

#[tokio::test]
async fn an_app_prop_without_an_account_has_its_methods_and_an_empty_auth() {
    let code = r#"
        const app = { type: "app", app: "nowhere", methods: { base() { return "https://x"; }, url(path) { return this.base() + path; }, auth() { return this.$auth; } } };
        export default { name: "App", version: "1", props: { app },
            run() { const { url } = this.app; this.$emit([url("/a"), this.app.auth(), this.app.$auth]); } };"#;
    let source = deploy(&new_user().await, code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!(["https://x/a", {}, {}])]);
}

#[tokio::test]
async fn an_update_replaces_all_values_and_bad_ones_change_nothing() {
    let code = component(
        "props: { a: 'integer', b: { type: 'string', optional: true } }, run() { this.$emit([this.a, this.b ?? null]); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "a": 1, "b": "x" })).await;
    for bad in [
        json!({ "a": "one" }),
        json!({ "b": "y" }),
        json!({ "a": 1, "c": 1 }),
    ] {
        source
            .api
            .put(&source.path(""), &json!({ "configured_props": bad }))
            .await
            .expect(422);
    }
    source.run(json!({})).await;
    source.events(1).await;
    let updated = source
        .api
        .put(&source.path(""), &json!({ "configured_props": { "a": 2 } }))
        .await
        .ok();
    assert_eq!(updated["configured_props"], json!({ "a": 2 }));
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [json!([1, "x"]), json!([2, null])]);
}

#[tokio::test]
async fn new_code_whose_required_props_have_no_value_is_422_and_changes_nothing() {
    let source = deploy(
        &new_user().await,
        &component("run() { this.$emit('old'); }"),
    )
    .await;
    let new = component("props: { url: 'string' }, run() { this.$emit('new'); }");
    let refused = source
        .api
        .put(&source.path(""), &json!({ "component_code": new }))
        .await
        .expect(422);
    assert_eq!(
        refused["details"]["configured_props"],
        json!(["url is required"])
    );
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("old")]);
}
