//! `$.send.sse`: the public stream of a workflow.

use std::pin::Pin;

use eventsource_stream::{Event, EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt};
use reqwest::{Client, Response};
use rusqlite::{Connection, params};
use serde_json::json;
use sluice_testkit::Method;
use tokio::time::timeout;

use super::post_office::{PostOffice, WORKFLOW};
use crate::support::{PATIENCE, own_server};

/// The channel of stored messages.
const SSE_CHANNEL: &str = "$sse";

type Messages =
    Pin<Box<dyn Stream<Item = std::result::Result<Event, EventStreamError<reqwest::Error>>>>>;

/// A reader of a workflow's stream.
pub(super) struct Live(Messages);

/// Follows a workflow from now on; it must have sent nothing before.
pub(super) async fn follow(url: &str, workflow: &str) -> Live {
    let response = get(&format!("{url}/workflows/{workflow}/sse"), None).await;
    assert_eq!(response.status(), 200);
    Live(Box::pin(response.bytes_stream().eventsource()))
}

impl Live {
    pub(super) async fn next(&mut self) -> Event {
        next(&mut self.0).await
    }

    /// Waits for the end of the stream.
    pub(super) async fn ends(mut self) {
        let end = timeout(PATIENCE, self.0.next()).await;
        assert!(end.expect("the end in time").is_none());
    }
}

/// Stores a workflow that has sent 120 messages, on two channels in turn, and other events.
fn sent_before(database: &Connection, user: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO workflows (id, user_id, name, name_slug, active, deployment_id, created_at, updated_at) \
         VALUES (?1, ?2, 'Sender', 'sender', 1, 'd_none1', 1, 1)";
    database.execute(sql, [WORKFLOW, user])?;
    let sql = "INSERT INTO events (emitter_id, ms, seq, channel, emit_id, meta, data) \
         VALUES (?1, ?2, ?3, ?4, 'emit', '{}', ?5)";
    for number in 0..120 {
        let channel = if number % 2 == 0 { "even" } else { "odd" };
        let data = json!({ "channel": channel, "payload": { "n": number } }).to_string();
        for (seq, channel) in [(0, SSE_CHANNEL), (1, "")] {
            database.execute(sql, params![WORKFLOW, number, seq, channel, data])?;
        }
    }
    Ok(())
}

async fn office() -> PostOffice {
    let mut office = PostOffice::new(own_server()).await;
    let user = office.user("sender").await;
    office
        .while_down(|database| sent_before(database, &user))
        .await;
    office
}

async fn ask(office: &PostOffice, path: &str, last: Option<&str>) -> Response {
    get(&format!("{}{path}", office.server.url()), last).await
}

async fn get(url: &str, last: Option<&str>) -> Response {
    let client = Client::builder().no_proxy().build().expect("a client");
    let mut request = client.get(url);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    request.send().await.expect("an answer")
}

async fn read(office: &PostOffice, path: &str, last: Option<&str>) -> Messages {
    let response = ask(office, path, last).await;
    assert_eq!(response.status(), 200);
    Box::pin(response.bytes_stream().eventsource())
}

async fn next(messages: &mut Messages) -> Event {
    let message = timeout(PATIENCE, messages.next()).await;
    let message = message.expect("a message in time");
    message.expect("the stream goes on").expect("a message")
}

#[tokio::test]
async fn anyone_reads_the_last_hundred_at_every_address() {
    let office = office().await;
    for base in ["/workflows", "/v1/workflows", "/pipelines", "/v1/pipelines"] {
        let path = format!("{base}/{WORKFLOW}/sse");
        let response = ask(&office, &path, None).await;
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut messages: Messages = Box::pin(response.bytes_stream().eventsource());
        for number in 20..120 {
            let message = next(&mut messages).await;
            assert_eq!(message.id, format!("{number}-0"));
            let channel = if number % 2 == 0 { "even" } else { "odd" };
            assert_eq!(message.event, channel);
            assert_eq!(message.data, format!("{{\"n\":{number}}}"));
        }
    }
}

#[tokio::test]
async fn a_reader_goes_on_after_what_it_has_and_with_the_channel_it_wants() {
    let office = office().await;
    let path = format!("/workflows/{WORKFLOW}/sse");
    let mut messages = read(&office, &path, Some("3-0")).await;
    assert_eq!(next(&mut messages).await.data, "{\"n\":4}");
    let mut messages = read(&office, &format!("{path}?last_event_id=117-0"), None).await;
    assert_eq!(next(&mut messages).await.data, "{\"n\":118}");
    let mut messages = read(&office, &format!("{path}?channel=odd"), Some("100-0")).await;
    for number in (101..120).step_by(2) {
        let message = next(&mut messages).await;
        assert_eq!(message.event, "odd");
        assert_eq!(message.data, format!("{{\"n\":{number}}}"));
    }
}

#[tokio::test]
async fn a_stream_begins_and_stays_alive_with_a_comment() {
    let office = office().await;
    let path = format!("/workflows/{WORKFLOW}/sse");
    let mut response = ask(&office, &path, Some("119-0")).await;
    let mut text = String::new();
    while text.matches(":keepalive\n\n").count() < 2 {
        let chunk = timeout(PATIENCE, response.chunk()).await;
        let chunk = chunk.expect("a sign of life").expect("an unbroken stream");
        text.push_str(std::str::from_utf8(&chunk.expect("more")).expect("UTF-8"));
    }
    assert!(text.starts_with(":keepalive\n\nretry: "), "{text}");
}

#[tokio::test]
async fn an_unknown_workflow_has_no_stream_and_a_page_may_ask_before() {
    let office = office().await;
    for id in ["p_unknown", "dc_sender1", "nonsense"] {
        let response = ask(&office, &format!("/workflows/{id}/sse"), None).await;
        assert_eq!(response.status(), 404, "{id}");
    }
    for base in ["/workflows", "/v1/workflows", "/pipelines"] {
        let path = format!("{base}/{WORKFLOW}/sse");
        let request = office.server.api().root(Method::OPTIONS, &path);
        let answer = request
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "last-event-id")
            .send()
            .await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert_eq!(
            answer.headers["access-control-allow-headers"],
            "last-event-id"
        );
    }
    let path = format!("/workflows/{WORKFLOW}/sse?last_event_id=x");
    assert_eq!(ask(&office, &path, None).await.status(), 400);
}
