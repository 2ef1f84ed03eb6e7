//! `$.respond`: what the client of a workflow's endpoint gets.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Method};

use crate::{
    support::new_user,
    workflows::fixtures::{Workflow, deploy, deploy_running, running},
};

async fn answer_of(api: &Api, bodies: &[(&str, &str)]) -> Answer {
    deploy_running(api, bodies).await.send(&json!({})).await
}

async fn newest(workflow: &Workflow) -> Value {
    workflow.runs("").await.remove(0)
}

#[tokio::test]
async fn respond_answers_the_http_request_at_the_end_of_the_run() {
    let bodies = [
        (
            "first",
            "$.respond({ status: 201, headers: { 'x-from': 'a step' }, body: { asked: steps.trigger.event.body } })",
        ),
        ("second", "$.export('ran', true)"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let answer = workflow.send(&json!({ "n": 1 })).await;
    assert_eq!(answer.header("x-from"), Some("a step"));
    assert_eq!(answer.expect(201), json!({ "asked": { "n": 1 } }));
    // Nobody was answered before all of it was stored.
    assert_eq!(newest(&workflow).await["state"], "succeeded");
}

#[tokio::test]
async fn respond_answers_at_once_when_it_is_immediate() {
    let bodies = [
        (
            "first",
            "await $.respond({ status: 200, body: 'soon', immediate: true })",
        ),
        ("second", "await new Promise(() => {})"),
    ];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let answer = workflow.send(&json!({})).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, "soon"));
    assert_eq!(newest(&workflow).await["state"], "running");
}

#[tokio::test]
async fn the_first_respond_wins() {
    let api = new_user().await;
    let one_step = [(
        "only",
        "$.respond({ status: 200, body: '1' }); $.respond({ status: 500, body: '2' })",
    )];
    assert_eq!(answer_of(&api, &one_step).await.text, "1");
    let two_steps = [
        ("first", "$.respond({ status: 200, body: '1' })"),
        ("second", "$.respond({ status: 500, body: '2' })"),
    ];
    assert_eq!(answer_of(&api, &two_steps).await.text, "1");
    let immediate = [
        ("first", "$.respond({ status: 200, body: '1' })"),
        (
            "second",
            "await $.respond({ status: 500, body: '2', immediate: true })",
        ),
    ];
    assert_eq!(answer_of(&api, &immediate).await.text, "1");
}

#[tokio::test]
async fn no_respond_is_400() {
    let mut document = running(&[("only", "return 1")]);
    document["triggers"] = json!([{ "http": { "custom_response": true } }]);
    let workflow = deploy(&new_user().await, &document.to_string()).await;
    let refusal = workflow.send(&json!({})).await.expect(400);
    assert_eq!(refusal["error"], "No $.respond called in workflow");
    let exits = [(
        "only",
        "if (steps.gone) $.respond({ status: 200 }); return $.flow.exit()",
    )];
    let refusal = answer_of(&workflow.api, &exits).await.expect(400);
    assert_eq!(refusal["error"], "No $.respond called in workflow");
}

#[tokio::test]
async fn a_run_that_fails_before_respond_is_400_and_says_why() {
    let bodies = [
        ("first", "throw new TypeError('no such thing')"),
        ("second", "$.respond({ status: 200 })"),
    ];
    let refusal = answer_of(&new_user().await, &bodies).await.expect(400);
    assert_eq!(
        refusal["error"],
        "the workflow failed before it called $.respond: TypeError: no such thing"
    );
}

#[tokio::test]
async fn a_run_that_fails_after_respond_answers_with_it() {
    let bodies = [
        ("first", "$.respond({ status: 202, body: 'taken' })"),
        ("second", "throw new Error('later')"),
    ];
    let answer = answer_of(&new_user().await, &bodies).await;
    assert_eq!((answer.status, answer.text.as_str()), (202, "taken"));
}

#[tokio::test]
async fn a_run_that_waits_answers_what_it_has() {
    let api = new_user().await;
    let bodies = [(
        "only",
        "$.respond({ status: 202, body: 'later' }); $.flow.suspend()",
    )];
    assert_eq!(answer_of(&api, &bodies).await.text, "later");
    let silent = [
        ("first", "$.flow.suspend()"),
        ("second", "$.respond({ status: 200 })"),
    ];
    let refusal = answer_of(&api, &silent).await.expect(400);
    assert_eq!(
        refusal["error"],
        "the workflow waits and has not called $.respond"
    );
}

#[tokio::test]
async fn bodies_may_be_text_json_bytes_or_a_stream() {
    let api = new_user().await;
    for (body, text, kind) in [
        ("'text'", "text", None),
        ("{ a: [1] }", r#"{"a":[1]}"#, Some("application/json")),
        ("Buffer.from([0x68, 0x69])", "hi", None),
        (
            "require('stream').Readable.from(['st', 'ream'])",
            "stream",
            None,
        ),
    ] {
        let code = format!(
            "module.exports = defineComponent({{ async run({{ $ }}) {{ await $.respond({{ status: 200, body: {body} }}) }} }})"
        );
        let document = json!({ "name": "Test", "triggers": [{ "http": {} }], "steps": [{ "name": "only", "code": code }] });
        let workflow = deploy(&api, &document.to_string()).await;
        let answer = workflow.send(&json!({})).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, text), "{body}");
        if let Some(kind) = kind {
            let found = answer.header("content-type").expect("a type");
            assert!(found.starts_with(kind), "{found}");
        }
    }
}

#[tokio::test]
async fn a_bad_respond_throws_in_code() {
    let bodies = [("only", "await $.respond({ body: 'no status' })")];
    let workflow = deploy_running(&new_user().await, &bodies).await;
    let endpoint = workflow.endpoint().await;
    let request = workflow.api.absolute(Method::POST, &endpoint);
    request.send().await.expect(400);
    let error = workflow.errors(1).await.remove(0);
    assert!(
        error["error"]["msg"]
            .as_str()
            .is_some_and(|msg| msg.contains("status")),
        "{error}"
    );
}
