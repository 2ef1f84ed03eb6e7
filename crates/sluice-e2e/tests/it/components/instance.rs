//! `this`: what it carries, and how long it lives.

use serde_json::json;
use sluice_testkit::Method;

use super::{component, manual};
use crate::support::{deploy, deploy_with, new_user};

#[tokio::test]
async fn this_is_new_for_each_invocation_and_module_state_is_shared() {
    let code = "let runs = 0;\n".to_owned()
        + &manual(
            "this.$emit([this.kept ?? null, runs]); this.kept = 1; runs += 1; globalThis.seen = runs;",
        );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    source.events(1).await;
    source.run(json!({})).await;
    assert_eq!(source.events(2).await, [json!([null, 0]), json!([null, 1])]);
}

#[tokio::test]
async fn a_prop_that_the_code_changes_is_as_configured_in_the_next_invocation() {
    let code = component(
        "props: { list: 'string[]', deep: 'object' }, run() { this.list.push('more'); this.deep.a.b = 2; this.$emit([this.list, this.deep]); }",
    );
    let source = deploy_with(
        &new_user().await,
        &code,
        json!({ "list": ["x"], "deep": { "a": { "b": 1 } } }),
    )
    .await;
    for _ in 0..2 {
        source.run(json!({})).await;
    }
    let expected = json!([["x", "more"], { "a": { "b": 2 } }]);
    assert_eq!(source.events(2).await, [expected.clone(), expected]);
}

#[tokio::test]
async fn methods_are_bound_to_their_instance() {
    let code = component(
        "methods: { who() { return this.name_ ?? 'unset'; }, ask() { const { who } = this; return who(); }, *numbers() { yield this.who(); }, async later() { await null; return this.who(); } },
         async run() { this.name_ = 'me'; const { ask, later } = this; this.$emit([ask(), ['x'].map(this.who), [...this.numbers()], await later(), await Promise.resolve().then(this.ask)]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["me", ["me"], ["me"], "me", "me"])]
    );
}

#[tokio::test]
async fn hooks_and_methods_are_separate_namespaces() {
    let code = component(
        "methods: { activate() { return 'method'; }, run() { return 'method run'; } }, hooks: { activate() { this.$emit([this.activate(), this.run()]); } },
         run() { this.$emit([this.activate(), typeof this.hooks, typeof this.deactivate]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await,
        [
            json!(["method", "method run"]),
            json!(["method", "undefined", "undefined"])
        ]
    );
}

#[tokio::test]
async fn this_is_a_plain_object_with_props_methods_and_emit() {
    let code = component(
        "props: { a: 'string', db: '$.service.db' }, methods: { m() {} }, run() { const { ...all } = this; this.$emit([Object.keys(all).sort(), Object.getPrototypeOf(this) === Object.prototype]); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "a": "x" })).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([["$emit", "a", "db", "m"], true])]
    );
}

#[tokio::test]
async fn overlapping_invocations_have_a_this_each() {
    let code =
        "let begun = 0; let both; const started = new Promise((resolve) => { both = resolve; });\n"
            .to_owned()
            + &super::http(
                "this.n = event.body; if (++begun === 2) both(); await started; this.$emit([this.n, event.body]);",
            );
    let source = deploy(&new_user().await, &code).await;
    for n in [1, 2] {
        source.send(&json!(n)).await.expect(200);
    }
    let mut events = source.events(2).await;
    events.sort_by_key(|event| event[0].as_i64());
    assert_eq!(events, [json!([1, 1]), json!([2, 2])]);
}

#[tokio::test]
async fn requests_that_arrive_while_the_process_starts_all_run_at_once() {
    let code =
        "let begun = 0; let all; const started = new Promise((resolve) => { all = resolve; });\n"
            .to_owned()
            + &super::http("if (++begun === 20) all(); await started; this.$emit(event.body);");
    let source = deploy(&new_user().await, &code).await;
    let requests = (0..20).map(|n| {
        let request = source
            .api
            .absolute(Method::POST, source.endpoint())
            .json(&json!(n));
        tokio::spawn(async move { request.send().await.expect(200) })
    });
    for request in requests.collect::<Vec<_>>() {
        request.await.expect("an answer");
    }
    assert_eq!(source.events(20).await.len(), 20);
}

#[tokio::test]
async fn run_may_be_synchronous_and_what_it_returns_is_ignored() {
    let source = deploy(
        &new_user().await,
        &component("run(event) { this.$emit(event); return { big: 1n, self: this }; }"),
    )
    .await;
    source.run(json!("x")).await;
    source.run(json!("y")).await;
    assert_eq!(source.events(2).await, ["x", "y"]);
}
