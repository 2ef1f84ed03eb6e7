//! `{{ … }}` in the props of steps.

use serde_json::{Value, json};
use sluice_runtime::BindingKind;

use crate::support::{PATIENCE, bound, input, module, start, with_props};

const SHOW: &str = "export default { run() { return { ...this } } }";

async fn props_of(props: Value, event: Value) -> Value {
    let steps = start(vec![with_props(module("test", SHOW), props)]).await;
    let mut input = input("test", &event);
    input["steps"]["one"] = json!({ "$return_value": { "n": 2 }, "list": [1, 2] });
    steps.run_with(input, PATIENCE).await.returned()
}

#[tokio::test]
async fn one_expression_gives_its_value_and_several_make_a_text() {
    let seen = props_of(
        json!({
            "value": "{{ steps.one.$return_value }}",
            "number": "{{ event.n + 1 }}",
            "text": "Hello {{ event.name }}, {{steps.one.list}} {{ null }}{{ undefined }}{{ true }}!",
            "env": "{{ process.env.TARGET }}/{{ Object.keys(process.env).length }}",
            "deep": { "a": ["{{ event.n }}", 1, { "b": "{{ event.gone }}", "c": "x{{ 1 }}" }] },
            "none": "{{ event.gone }}",
            "plain": "{ not } one",
            "odd": "{{ {a: '}}', b: `${event.n}}}`} }}",
        }),
        json!({ "n": 1, "name": "you" }),
    )
    .await;
    assert_eq!(
        seen,
        json!({
            "value": { "n": 2 },
            "number": 2,
            "text": "Hello you, [1,2] true!",
            "env": "moon/1",
            "deep": { "a": [1, 1, { "c": "x1" }] },
            "plain": "{ not } one",
            "odd": { "a": "}}", "b": "1}}" },
        })
    );
}

#[tokio::test]
async fn an_undefined_prop_is_absent() {
    let code = "export default { run() { return ['a' in this, 'b' in this] } }";
    let step = with_props(
        module("test", code),
        json!({ "a": "{{ undefined }}", "b": "{{ null }}" }),
    );
    assert_eq!(
        start(vec![step])
            .await
            .run("test", Value::Null)
            .await
            .returned(),
        json!([false, true])
    );
}

#[tokio::test]
async fn they_are_evaluated_anew_for_each_run() {
    let step = with_props(
        module("test", SHOW),
        json!({ "n": "{{ event.n }}", "o": { "list": ["{{ 1 }}"] } }),
    );
    let steps = start(vec![step]).await;
    for n in 0..3 {
        assert_eq!(
            steps.run("test", json!({ "n": n })).await.returned(),
            json!({ "n": n, "o": { "list": [1] } })
        );
    }
}

#[tokio::test]
async fn one_that_throws_fails_its_step_and_is_named() {
    for (expression, why) in [
        (
            "steps.gone.x",
            "TypeError: Cannot read properties of undefined (reading 'x')",
        ),
        ("nobody", "ReferenceError: nobody is not defined"),
        ("010", "SyntaxError: "),
        ("(() => { throw 'up' })()", "up"),
    ] {
        let step = with_props(
            module("test", SHOW),
            json!({ "url": format!("a {{{{ {expression} }}}}") }),
        );
        let ran = start(vec![step]).await.run("test", Value::Null).await;
        assert_eq!(ran.failure().name, "ExpressionError");
        let message = &ran.failure().message;
        let expected = format!("prop url: {{{{ {expression} }}}} failed: {why}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[tokio::test]
async fn declared_values_are_not_in_the_real_environment() {
    let code = "export default { run() { return [Object.keys(process.env).sort(), process.env.PIPEDREAM_WORKFLOW_ID] } }";
    let ran = start(vec![module("test", code)])
        .await
        .run("test", Value::Null)
        .await;
    assert_eq!(
        ran.returned(),
        json!([
            ["PIPEDREAM_WORKFLOW_ID", "STASH_DIR", "TMPDIR"],
            crate::support::WORKFLOW
        ])
    );
}

#[tokio::test]
async fn requests_may_have_expressions_too() {
    let code = "export default { run() { return [this.request.url, this.request.headers, typeof this.request.execute] } }";
    let value = json!({ "method": "GET", "url": "https://{{ event.host }}/", "headers": [{ "name": "a", "value": "{{ event.n }}" }] });
    let step = bound(
        module("test", code),
        "request",
        BindingKind::HttpRequest,
        value,
    );
    let ran = start(vec![step])
        .await
        .run("test", json!({ "host": "a.test", "n": 1 }))
        .await;
    assert_eq!(
        ran.returned(),
        json!(["https://a.test/", [{ "name": "a", "value": 1 }], "function"])
    );
}
