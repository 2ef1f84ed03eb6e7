//! `$.send` of a workflow: what arrives, and when.

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};
use sluice_testkit::{
    receiver::{Answer, Receiver},
    wait_for,
};
use tokio::time::timeout;

use crate::{
    routing::fixtures::{heard, listener, subscribe},
    support::{PATIENCE, new_user},
    workflows::fixtures::{Workflow, deploy_running, user_of_open_server},
};

fn receiver() -> Receiver {
    Receiver::start(|_| Answer::status(200).body("fine"))
}

/// Waits until all that a run sends is sent, and gives the run.
async fn all_sent(workflow: &Workflow, run: &Value) -> Value {
    let id = run["id"].as_str().expect("an id");
    wait_for(PATIENCE, "all to be sent", async || {
        let run = workflow.run_of(id).await;
        let sends = run["sends"].as_array().expect("sends");
        sends
            .iter()
            .all(|send| send["state"] == "sent")
            .then_some(run)
    })
    .await
}

#[tokio::test]
async fn send_http() {
    let receiver = receiver();
    let body = "await $.send.http({ method: 'PUT', url: steps.trigger.event.url, data: { n: 1 }, headers: { 'x-a': 'b' }, params: { q: 'ä' }, auth: { username: 'u', password: 'p' } })";
    let workflow = deploy_running(&user_of_open_server().await, &[("only", body)]).await;
    let run = workflow
        .run_and_wait(&json!({ "url": receiver.url("/there") }))
        .await;
    let got = receiver.wait_for(1).await.remove(0);
    assert_eq!(
        (got.method.as_str(), got.path.as_str()),
        ("PUT", "/there?q=%C3%A4")
    );
    assert_eq!(got.json(), json!({ "n": 1 }));
    assert_eq!(got.header("x-a"), Some("b"));
    assert_eq!(got.header("authorization"), Some("Basic dTpw"));
    let run = all_sent(&workflow, &run).await;
    let send = &run["sends"][0];
    assert_eq!(
        [&send["kind"], &send["step"], &send["tries"]],
        [&json!("http"), &json!("only"), &json!(1)]
    );
    assert!(
        send["result"]
            .as_str()
            .is_some_and(|text| text.contains("200")),
        "{send}"
    );
}

#[tokio::test]
async fn send_emit() {
    let api = new_user().await;
    let bodies = [(
        "only",
        "$.send.emit({ raw_event: { older: 1 } }); $.send.emit({ newer: 2 }); $.send.emit('three', 'orders')",
    )];
    let workflow = deploy_running(&api, &bodies).await;
    let (default, orders) = (listener(&api).await, listener(&api).await);
    subscribe(&api, &workflow.id, "", &default.id).await;
    subscribe(&api, &workflow.id, "orders", &orders.id).await;
    workflow.run(&json!({})).await;
    // Stored as `raw_event`, and bare to those who listen.
    let expected = [
        json!({ "raw_event": { "older": 1 } }),
        json!({ "raw_event": { "newer": 2 } }),
        json!({ "raw_event": "three" }),
    ];
    assert_eq!(workflow.emitted(3).await, expected);
    assert_eq!(
        heard(&default, 2).await,
        [json!({ "older": 1 }), json!({ "newer": 2 })]
    );
    assert_eq!(heard(&orders, 1).await, [json!("three")]);
    let path = workflow.path("/event_summaries?event_name=orders");
    let page = api.get(&path).await.expect(200);
    let rows = page["data"].as_array().expect("rows");
    assert_eq!(rows.len(), 1);
    let metadata = &rows[0]["metadata"];
    assert_eq!(metadata["name"], "orders");
    assert_eq!(metadata["emitter_id"], workflow.id.as_str());
    assert_eq!(metadata["emit_id"].as_str().map(str::len), Some(27));
}

#[tokio::test]
async fn send_sse() {
    let api = new_user().await;
    let bodies = [(
        "only",
        "$.send.sse({ channel: 'news', payload: { n: steps.trigger.event.n } })",
    )];
    let workflow = deploy_running(&api, &bodies).await;
    let before = workflow.run_and_wait(&json!({ "n": 1 })).await;
    assert_eq!(before["sends"][0]["state"], "sent", "{before}");
    let base = workflow.endpoint().await;
    let base = base.split("/e/").next().expect("the server's address");
    let client = reqwest::Client::builder().no_proxy().build().expect("one");
    let stream = client.get(format!("{base}/workflows/{}/sse", workflow.id));
    let response = stream.send().await.expect("an answer");
    assert_eq!(response.status(), 200, "it needs no key");
    let mut messages = Box::pin(response.bytes_stream().eventsource());
    workflow.run(&json!({ "n": 2 })).await;
    for n in 1..=2 {
        let message = timeout(PATIENCE, messages.next()).await.expect("in time");
        let message = message.expect("the stream goes on").expect("a message");
        assert_eq!(message.event, "news");
        let data: Value = serde_json::from_str(&message.data).expect("JSON");
        assert_eq!(data, json!({ "n": n }));
    }
    // Nobody finds it among what was emitted.
    let page = api
        .get(&workflow.path("/event_summaries"))
        .await
        .expect(200);
    assert_eq!(page["data"], json!([]));
}

#[tokio::test]
async fn what_is_sent_goes_after_the_run() {
    let receiver = receiver();
    let api = user_of_open_server().await;
    let bodies = [
        (
            "first",
            "const { url } = steps.trigger.event; $.send.emit('e'); $.send.http({ method: 'POST', url, data: 'sent' })",
        ),
        (
            "second",
            "await new Promise((go) => setTimeout(go, 500)); await fetch(steps.trigger.event.url, { method: 'POST', body: 'second step' })",
        ),
    ];
    let workflow = deploy_running(&api, &bodies).await;
    let id = workflow.run(&json!({ "url": receiver.url("/") })).await;
    let run = wait_for(PATIENCE, "the first step", async || {
        let run = workflow.run_of(&id).await;
        (run["sends"].as_array().map(Vec::len) == Some(2)).then_some(run)
    })
    .await;
    if run["state"] == "running" {
        assert_eq!(run["sends"][0]["state"], "held");
        assert_eq!(run["sends"][1]["state"], "held");
    }
    let order: Vec<String> = receiver
        .wait_for(2)
        .await
        .into_iter()
        .map(|got| got.body)
        .collect();
    assert_eq!(order, ["second step", "sent"]);
    workflow.emitted(1).await;
}

#[tokio::test]
async fn what_is_sent_goes_before_a_pause() {
    let receiver = receiver();
    let bodies = [
        ("first", "$.send.emit('from the first')"),
        (
            "second",
            "const { resume_url } = $.flow.suspend(); $.send.http({ method: 'POST', url: steps.trigger.event.url, data: { resume_url } })",
        ),
        ("third", "$.send.emit('from the third')"),
    ];
    let workflow = deploy_running(&user_of_open_server().await, &bodies).await;
    let id = workflow.run(&json!({ "url": receiver.url("/") })).await;
    let got = receiver.wait_for(1).await.remove(0).json();
    assert_eq!(workflow.run_of(&id).await["state"], "waiting");
    let first = workflow.emitted(1).await;
    assert_eq!(first, [json!({ "raw_event": "from the first" })]);
    let resume_url = got["resume_url"].as_str().expect("an address");
    let request = workflow
        .api
        .absolute(sluice_testkit::Method::POST, resume_url);
    request.send().await.expect(200);
    let run = workflow.run_in(&id, "succeeded").await;
    // Nothing is sent twice.
    assert_eq!(run["sends"].as_array().map(Vec::len), Some(3));
    assert_eq!(workflow.emitted(2).await.len(), 2);
    assert_eq!(receiver.count(), 1);
}

#[tokio::test]
async fn what_the_steps_of_a_failed_run_sent_stands() {
    let receiver = receiver();
    let bodies = [
        (
            "first",
            "$.send.http({ method: 'POST', url: steps.trigger.event.url, data: 'first' })",
        ),
        (
            "second",
            "$.send.emit('before it threw'); throw new Error('no')",
        ),
    ];
    let workflow = deploy_running(&user_of_open_server().await, &bodies).await;
    let run = workflow
        .run_and_wait(&json!({ "url": receiver.url("/") }))
        .await;
    assert_eq!(run["state"], "failed");
    assert_eq!(receiver.wait_for(1).await[0].body, "first");
    assert_eq!(
        workflow.emitted(1).await,
        [json!({ "raw_event": "before it threw" })]
    );
}

#[tokio::test]
async fn bad_parameters_throw_in_code() {
    for (call, message) in [
        (
            "http({ url: 'https://example.com' })",
            "$send.http: invalid value undefined for method",
        ),
        (
            "http({ method: 'POST', url: 'nowhere' })",
            "$send.http: invalid value nowhere for url",
        ),
        (
            "email({ subject: 3 })",
            "$send.email: invalid value 3 for subject",
        ),
        (
            "s3({ bucket: 'b', payload: {} })",
            "$send.s3: invalid value undefined for prefix",
        ),
        (
            "emit(1, '$errors')",
            "$send.emit: invalid value $errors for channel",
        ),
        (
            "sse({ channel: 'c' })",
            "$send.sse: invalid value undefined for payload",
        ),
    ] {
        let body = format!("await $.send.{call}");
        let workflow = deploy_running(&new_user().await, &[("only", &body)]).await;
        let run = workflow.run_and_wait(&json!({})).await;
        assert_eq!(run["error"]["message"], message, "{call}");
        assert_eq!(run["sends"], json!([]));
    }
}
