//! `{{ … }}` in the props of steps: what they see, and what they give.

use serde_json::{Value, json};

use crate::{
    support::new_user,
    workflows::fixtures::{deploy, returned},
};

/// Gives back its props.
const SHOW: &str = "export default { props: PROPS, run() { return Object.fromEntries(Object.entries(this).filter(([, value]) => typeof value !== 'function')) } }";

/// A document with a step that returns 7 and exports `list`, and one that has these props declared and given.
fn document(declared: &Value, given: &Value) -> Value {
    json!({
        "name": "Test",
        "env": { "TARGET": "https://example.com", "EMPTY": "" },
        "steps": [
            { "name": "one", "code": "export default { run({ $ }) { $.export('list', [1, 2]); return 7 } }" },
            { "name": "show", "code": SHOW.replace("PROPS", &declared.to_string()), "props": given },
        ],
    })
}

async fn shown(declared: Value, given: Value, event: Value) -> Value {
    let document = document(&declared, &given);
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&event).await;
    assert_eq!(run["state"], "succeeded", "{run}");
    returned(&run, "show").clone()
}

#[tokio::test]
async fn they_see_the_event_the_steps_and_the_environment() {
    let seen = shown(
        json!({ "a": "any", "b": "any", "c": "any", "d": "any", "e": "any" }),
        json!({
            "a": "{{ event.n }}",
            "b": "{{ steps.trigger.event.n }}",
            "c": "{{ steps.one.$return_value }}",
            "d": "{{ steps.one.list }}",
            "e": "{{ process.env.TARGET }}{{ process.env.EMPTY }}",
        }),
        json!({ "n": { "deep": true } }),
    )
    .await;
    assert_eq!(
        seen,
        json!({ "a": { "deep": true }, "b": { "deep": true }, "c": 7, "d": [1, 2], "e": "https://example.com" })
    );
}

#[tokio::test]
async fn a_whole_value_keeps_its_kind_and_several_make_a_text() {
    let seen = shown(
        json!({ "number": "any", "object": "any", "text": "any", "plain": "any", "script": "any" }),
        json!({
            "number": "{{ event.n + 1 }}",
            "object": "  {{ ({ a: event.n }) }}  ".trim(),
            "text": "{{ event.n }}-{{ steps.one.list }}-{{ event.gone }}",
            "plain": "{ no } expression",
            "script": "{{ [3, 1, 2].sort().map((n) => `${n}!`).join('') }}",
        }),
        json!({ "n": 1 }),
    )
    .await;
    assert_eq!(
        seen,
        json!({ "number": 2, "object": { "a": 1 }, "text": "1-[1,2]-", "plain": "{ no } expression", "script": "1!2!3!" })
    );
}

#[tokio::test]
async fn props_of_all_types_take_them() {
    let declared = json!({
        "s": "string", "i": "integer", "b": "boolean", "o": "object", "ss": "string[]", "ii": "integer[]", "any": "any",
        "secret": { "type": "string", "secret": true },
        "request": "http_request",
    });
    let given = json!({
        "s": "{{ event.s }}", "i": "{{ event.i }}", "b": "{{ event.b }}", "o": { "a": "{{ event.i }}", "b": { "c": ["{{ event.s }}"] } },
        "ss": ["{{ event.s }}", "x"], "ii": "{{ event.ii }}", "any": "{{ event }}", "secret": "{{ process.env.TARGET }}",
        "request": { "method": "GET", "url": "https://{{ event.s }}.test/" },
    });
    let event = json!({ "s": "t", "i": 3, "b": true, "ii": [1, 2] });
    let mut seen = shown(declared, given, event.clone()).await;
    let request = seen["request"].take();
    assert_eq!(request["url"], "https://t.test/", "{request}");
    assert_eq!(
        seen,
        json!({
            "s": "t", "i": 3, "b": true, "o": { "a": 3, "b": { "c": ["t"] } }, "ss": ["t", "x"], "ii": [1, 2],
            "any": event, "secret": "https://example.com", "request": null,
        })
    );
}

#[tokio::test]
async fn one_that_throws_fails_the_step_and_is_named() {
    let document = document(
        &json!({ "url": "any" }),
        &json!({ "url": "{{ steps.gone.x }}" }),
    );
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    let error = &run["error"];
    assert_eq!(
        (&error["step"], &error["code"]),
        (&json!("show"), &json!("ExpressionError"))
    );
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.starts_with("prop url: {{ steps.gone.x }} failed: TypeError"),
        "{message}"
    );
}

#[tokio::test]
async fn components_see_no_environment() {
    let document = json!({
        "name": "Test",
        "env": { "TARGET": "here", "PATH": "/elsewhere" },
        "steps": [{ "name": "look", "code": "export default { run() { return [process.env.TARGET ?? null, process.env.PATH ?? null, process.env.PIPEDREAM_WORKFLOW_ID] } }" }],
    });
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let run = workflow.run_and_wait(&json!({})).await;
    assert_eq!(
        returned(&run, "look"),
        &json!([null, null, workflow.id]),
        "{run}"
    );
}

#[tokio::test]
async fn what_arrives_in_an_event_is_never_evaluated() {
    let seen = shown(
        json!({ "a": "any", "b": "any" }),
        json!({ "a": "{{ event.text }}", "b": "x{{ event.text }}" }),
        json!({ "text": "{{ process.exit(1) }}" }),
    )
    .await;
    assert_eq!(
        seen,
        json!({ "a": "{{ process.exit(1) }}", "b": "x{{ process.exit(1) }}" })
    );
}
