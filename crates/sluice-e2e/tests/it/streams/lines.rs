//! The log of a source as a stream.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Plan, Server};

use super::{EMITTER, reader::Reader};
use crate::support::{deploy, deploy_with, new_user_on, own_server, shared_server};

#[rstest]
#[tokio::test]
async fn the_log_is_followed_live_and_from_where_a_reader_left_off(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let url = shared_server(backend).url();
    let source = deploy(&new_user_on(backend).await, EMITTER).await;
    source.run(json!({ "log": ["before"] })).await;
    source.log_with("before").await;
    let path = format!("/sse/dc/{}/observations", source.id);
    let mut reader = Reader::open(url, &source.api, &path, None).await;
    source.run(json!({ "log": ["one", "two"] })).await;
    source.log_with("two").await;
    source.run(json!({ "fail": "three" })).await;
    let messages = reader.take(3).await;
    let logged = source.logs().await;
    let shown: Vec<&Value> = messages.iter().map(|message| &message.data).collect();
    assert_eq!(shown, logged[1..].iter().collect::<Vec<_>>());
    assert_eq!(messages[0].data["msg"], "one");
    assert_eq!(messages[2].data["level"], "error");
    drop(reader);

    let many: Vec<String> = (0..150).map(|n| format!("line {n}")).collect();
    source.run(json!({ "log": many })).await;
    let mut resumed = Reader::open(url, &source.api, &path, Some(&messages[0].id)).await;
    assert_eq!(resumed.take(2).await, messages[1..]);
    let rest = resumed.take(150).await;
    let texts: Vec<&Value> = rest.iter().map(|message| &message.data["msg"]).collect();
    assert_eq!(texts, many.iter().collect::<Vec<_>>());
    source.run(json!({ "log": ["live"] })).await;
    assert_eq!(resumed.next().await.data["msg"], "live");
}

/// Only the number in the id of a line places it, whatever its time says.
#[tokio::test]
async fn a_line_is_placed_by_its_number() {
    let url = shared_server(Backend::Sqlite).url();
    let source = deploy(&new_user_on(Backend::Sqlite).await, EMITTER).await;
    source.run(json!({ "log": ["one", "two"] })).await;
    source.log_with("two").await;
    let number = source.logs().await[0]["id"]
        .as_str()
        .expect("a number")
        .to_owned();
    let path = format!(
        "/sse/dc/{}/observations?last_event_id=99999999999999-{number}",
        source.id
    );
    let mut reader = Reader::open(url, &source.api, &path, None).await;
    assert_eq!(reader.next().await.data["msg"], "two");
}

#[tokio::test]
async fn what_hooks_log_is_heard() {
    let url = shared_server(Backend::Sqlite).url();
    let source = deploy(&new_user_on(Backend::Sqlite).await, EMITTER).await;
    let path = format!("/sse/dc/{}/observations", source.id);
    let mut reader = Reader::open(url, &source.api, &path, None).await;
    let code = EMITTER.replace(
        "version:",
        "hooks: { activate() { console.log('awake') } }, version:",
    );
    let body = json!({ "component_code": code });
    source.api.put(&source.path(""), &body).await.expect(200);
    assert_eq!(reader.next().await.data["msg"], "awake");
}

#[tokio::test]
async fn what_the_server_itself_logs_is_heard() {
    let server = Server::start(own_server().arg("--daily-invocations-quota").arg("1")).await;
    let user = server.user("free", Plan::Free).await;
    let code = r#"module.exports = { name: "Ticking", version: "0.0.1", props: { timer: "$.interface.timer" }, run() {} };"#;
    let props = json!({ "timer": { "intervalSeconds": 2 } });
    let source = deploy_with(&user, code, props).await;
    let path = format!("/sse/dc/{}/observations?last_event_id=0-0", source.id);
    let mut reader = Reader::open(server.url(), &user, &path, None).await;
    let line = reader.next().await.data;
    let text = line["msg"].as_str().expect("text");
    assert!(text.contains("the timer waits for the next day"), "{line}");
}
