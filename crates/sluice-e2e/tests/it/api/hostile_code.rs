//! Component code that does its worst: it is refused with 422, and what it stores or emits harms nobody.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::fixtures::IDLE;
use crate::support::{deploy, new_user, new_user_on};

/// A component whose declaration has one more field.
fn with(field: &str) -> String {
    format!(r#"module.exports = {{ name: "N", version: "1", run() {{}}, {field} }};"#)
}

#[tokio::test]
async fn code_that_misbehaves_while_it_loads_is_422() {
    let api = new_user().await;
    for code in [
        "process.exit(0)",
        "Deno.exit(0)",
        "Deno.stdout.writeSync(new TextEncoder().encode('\\nnot the protocol\\n'))",
        "Deno.stdout.writeSync(new Uint8Array([255, 10]))",
        "Deno.stdout.writeSync(new TextEncoder().encode('\\n{\"t\":\"end\",\"i\":\"000000000000000000000000000\"}\\n'))",
        "module.exports = new Proxy({}, { get() { throw new Error('trap') } })",
        "module.exports = { get name() { throw new Error('trap') }, version: '1', run() {} }",
        "module.exports = 5",
        "export default null",
        "module.exports = { name: Symbol(), version: 1n, run: 3 }",
        "throw null",
        "Promise.reject(new Error('late')); module.exports = 1",
        "module.exports = { name: 'N', version: '1', run() {}, props: { 'a\\0b': 'nonsense' } }",
        "require('no-such-module-at-all')",
    ] {
        let answer = api
            .post("/components", &json!({ "component_code": code }))
            .await;
        assert_eq!(answer.status, 422, "{code}: {}", answer.text);
        assert!(
            answer.body["details"]["component_code"].is_array(),
            "{code}: {}",
            answer.text
        );
    }
}

#[rstest]
#[tokio::test]
async fn half_a_character_or_endless_nesting_in_a_declaration_is_no_5xx(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let deep = r#"JSON.parse("[".repeat(5000) + "]".repeat(5000))"#;
    for field in [
        r#"name: "\ud800""#,
        r#"key: "\ud800""#,
        r#"type: "\ud800""#,
        r#"dedupe: "\ud800""#,
        r#"props: { "\ud800": "string" }"#,
        r#"props: { p: { type: "any", default: "\ud800" } }"#,
        r#"name: "\0", key: "\0""#,
        r#"key: "a\0b", description: "\0""#,
        r#"props: { "a\0": "$.interface.http", "b\0": "$.interface.timer" }"#,
        r#"props: { p: { type: "any", default: "\0" } }"#,
        &format!("props: {{ p: {{ type: 'any', default: {deep} }} }}"),
    ] {
        let body = json!({ "component_code": with(field) });
        let answer = api.post("/sources", &body).await;
        assert!(
            [200, 422].contains(&answer.status),
            "{field}: {}",
            answer.text
        );
    }
}

#[rstest]
#[tokio::test]
async fn stored_values_of_any_depth_and_with_half_characters_outlive_the_process(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let writer = r#"module.exports = { name: "W", version: "1", props: { db: "$.service.db" }, run() {
        this.db.set("deep", JSON.parse("[".repeat(300) + "]".repeat(300)));
        this.db.set("half", "\ud800\0");
        this.$emit("written");
    } };"#;
    let reader = r#"module.exports = { name: "R", version: "1", props: { db: "$.service.db" }, run() {
        const half = this.db.get("half");
        this.$emit([JSON.stringify(this.db.get("deep")).length, half?.charCodeAt(0), half?.length]);
    } };"#;
    let source = deploy(&api, writer).await;
    source.run(json!({})).await;
    source.events(1).await;
    api.put(&source.path(""), &json!({ "component_code": reader }))
        .await
        .expect(200);
    source.run(json!({})).await;
    assert_eq!(source.events(2).await[1], json!([600, 0xd800, 2]));
}

#[tokio::test]
async fn names_no_database_could_index_and_a_hundred_thousand_props_are_422() {
    let api = new_user().await;
    for field in [
        r#"key: "x".repeat(501)"#,
        r#"props: { ["x".repeat(501)]: "$.interface.timer" }"#,
        r#"props: Object.fromEntries(Array.from({ length: 1e5 }, (_, prop) => ["p" + prop, "string"]))"#,
    ] {
        let body = json!({ "component_code": with(field) });
        api.post("/components", &body).await.expect(422);
    }
}

#[tokio::test]
async fn an_empty_component_code_is_422() {
    let api = new_user().await;
    for code in ["", " ", "// nothing", "\u{feff}"] {
        api.post("/components", &json!({ "component_code": code }))
            .await
            .expect(422);
    }
    api.post(
        "/components",
        &json!({ "component_code": format!("\u{feff}{IDLE}") }),
    )
    .await
    .expect(200);
}
