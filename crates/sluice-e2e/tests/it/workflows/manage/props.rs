//! The prop values of steps, checked as far as they are known.

use serde_json::{Value, json};
use sluice_testkit::Api;

use crate::{
    support::new_user,
    workflows::fixtures::{deploy, faults, returned},
};

/// A document with one step that has these props and is given these values.
fn document(props: &str, values: &Value) -> String {
    let code = format!(
        "export default defineComponent({{ props: {props}, async run() {{ return {{ ...this }} }} }})"
    );
    json!({ "name": "Props", "steps": [{ "name": "one", "code": code, "props": values }] })
        .to_string()
}

async fn messages(api: &Api, props: &str, values: &Value) -> Vec<String> {
    let found = faults(api, &document(props, values)).await;
    let after = |fault: &String| {
        fault
            .split_once("steps[0].props")
            .expect("a prop")
            .1
            .to_owned()
    };
    found.iter().map(after).collect()
}

#[tokio::test]
async fn required_unknown_and_wrong_values_are_faults() {
    let api = new_user().await;
    let props = r#"{ city: "string", count: { type: "integer", optional: true } }"#;
    let found = messages(&api, props, &json!({ "count": "x", "colour": 1 })).await;
    let mut found: Vec<_> = found.iter().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ".city: is required",
            ".colour: is not a prop of this component",
            ".count: must be an integer",
        ]
    );
}

#[tokio::test]
async fn errors_of_props_name_their_step_and_have_a_code() {
    let api = new_user().await;
    let props = r#"{ city: "string", count: "integer", token: { type: "string", secret: true }, data: "data_store", text: "string" }"#;
    let values = json!({
        "count": "x", "colour": 1, "token": "hunter2", "data": "{{ event.name }}", "text": "{{ 1 + }}",
    });
    let body = json!({ "document": document(props, &values) });
    let refusal = api.post("/workflows", &body).await.expect(422);
    let errors = refusal["details"]["document"].as_array().expect("a list");
    let data = |error: &Value| format!("{} {} {}", error["step"], error["prop"], error["code"]);
    let mut found: Vec<String> = errors.iter().map(data).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            r#""one" "city" "required""#,
            r#""one" "colour" "unknown_prop""#,
            r#""one" "count" "wrong_type""#,
            r#""one" "data" "expression_not_allowed""#,
            r#""one" "text" "invalid_expression""#,
            r#""one" "token" "secret_in_document""#,
        ],
        "{refusal}"
    );
    let other = json!({ "document": "name: Other\nsteps:\n  - name: one\n    action: nothing\n" });
    let refusal = api.post("/workflows", &other).await.expect(422);
    let error = &refusal["details"]["document"][0];
    assert_eq!([error.get("step"), error.get("code")], [None, None]);
}

#[tokio::test]
async fn a_value_with_an_expression_is_known_only_when_the_step_runs() {
    let api = new_user().await;
    let props = r#"{ count: "integer", list: "string[]", text: { type: "string", default: "d" } }"#;
    let values = json!({ "count": "{{ event.n + 1 }}", "list": "{{ event.list }}" });
    let workflow = deploy(&api, &document(props, &values)).await;
    let run = workflow
        .run_and_wait(&json!({ "n": 1, "list": ["a"] }))
        .await;
    let seen = returned(&run, "one");
    assert_eq!(seen["count"], 2, "{run}");
    assert_eq!((&seen["list"], &seen["text"]), (&json!(["a"]), &json!("d")));
}

#[tokio::test]
async fn an_expression_that_is_no_javascript_is_a_fault_at_its_line() {
    let api = new_user().await;
    let document = "name: E\nsteps:\n  - name: one\n    code: \"export default { props: { a: 'object' }, run() {} }\"\n    props:\n      a:\n        deep:\n          - ok\n          - \"x {{ 1 + }}\"\n";
    let found = faults(&api, document).await;
    assert!(
        found[0].starts_with("9: steps[0].props.a.deep[1]: "),
        "{found:?}"
    );
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn a_secret_prop_takes_no_literal() {
    let api = new_user().await;
    let props = r#"{ token: { type: "string", secret: true } }"#;
    let found = messages(&api, props, &json!({ "token": "hunter2" })).await;
    assert!(
        found[0].contains("use a secret environment value: {{ process.env.NAME }}"),
        "{found:?}"
    );
    deploy(
        &api,
        &document(props, &json!({ "token": "{{ process.env.TOKEN }}" })),
    )
    .await;
}

#[tokio::test]
async fn a_data_store_has_to_be_known_before_the_step_runs() {
    let api = new_user().await;
    let found = messages(
        &api,
        r#"{ data: { type: "data_store" } }"#,
        &json!({ "data": "{{ event.name }}" }),
    )
    .await;
    assert!(
        found[0].contains("must not hold an expression"),
        "{found:?}"
    );
}

#[tokio::test]
async fn keys_that_are_no_props_are_allowed_where_additional_props_may_declare_them() {
    let api = new_user().await;
    let code = r#"export default { key: "acme-more", name: "More", version: "0.0.1", type: "action",
        props: { a: "string" }, async additionalProps() { return { b: { type: "string" } } }, async run() { return [this.a, this.b] } }"#;
    api.post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    let step = json!({ "name": "one", "action": "acme-more", "props": { "a": "x", "b": "{{ event.b }}" } });
    let workflow = deploy(
        &api,
        &json!({ "name": "More", "steps": [step] }).to_string(),
    )
    .await;
    let run = workflow.run_and_wait(&json!({ "b": "y" })).await;
    assert_eq!(returned(&run, "one"), &json!(["x", "y"]), "{run}");
}
