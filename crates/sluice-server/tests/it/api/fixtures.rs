//! Components, events and pages for these tests.

use std::{fmt::Write, sync::Arc};

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, wait_for};

use crate::{
    server::{TestServer, User},
    support::{Deployed, PATIENCE, deploy},
};

/// Does nothing.
pub(crate) const IDLE: &str =
    r#"module.exports = { "name": "Idle", "version": "0.0.1", "run": {} };"#;

/// Has one required and one optional prop.
pub(crate) const WITH_PROPS: &str = r#"module.exports = { "name": "With props", "version": "0.0.1",
    "props": { "city": "string", "count": { "type": "integer", "optional": true } },
    "run": { "emit": "props" } };"#;

/// The largest body of an API request on [`limited_server`].
pub(super) const SMALL_API_BODY: usize = 32 * 1024;
/// The daily invocations of a free user there.
pub(super) const SMALL_QUOTA: u64 = 2;

/// A server with small limits that allows sign-up.
pub(super) async fn limited_server() -> Arc<TestServer> {
    TestServer::with(|settings| {
        settings.allow_signup = true;
        settings.max_api_body = SMALL_API_BODY;
        settings.daily_invocations_quota = Some(SMALL_QUOTA);
    })
    .await
}

/// A source without interfaces, which never runs by itself.
pub(super) async fn idle_source(api: &User) -> Deployed {
    deploy(api, IDLE).await
}

/// The id of a saved component.
pub(crate) async fn save(api: &Api, code: &str) -> String {
    let component = api
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    text(&component["id"])
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// The names of an object's fields, in order.
#[track_caller]
pub(super) fn field_names(value: &Value) -> Vec<&str> {
    let fields = value.as_object().expect("an object");
    fields.keys().map(String::as_str).collect()
}

/// Every byte as `%XX`, which is right anywhere in an address.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        write!(escaped, "%{byte:02X}").expect("a string takes any text");
    }
    escaped
}

/// Asserts a refusal with the body that all of them share, and gives its `error`.
#[track_caller]
pub(crate) fn refused(answer: Answer, status: u16) -> String {
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{}",
        answer.text
    );
    text(&answer.expect(status)["error"])
}

/// Runs an [`EMITTER`] once with these `[data, metadata]` pairs and waits until all of them are events.
pub(super) async fn emit(source: &Deployed, emits: &[Value]) {
    let before = total_events(source).await;
    source.run(json!({ "emits": emits })).await;
    let expected = before + emits.len() as u64;
    wait_for(PATIENCE, &format!("{expected} events"), async || {
        (total_events(source).await == expected).then_some(())
    })
    .await;
}

/// As [`emit`], on the default channel: the numbers from 1 to `count`.
pub(crate) async fn emit_numbers(source: &Deployed, count: u64) {
    let emits: Vec<Value> = (1..=count).map(|number| json!([number])).collect();
    emit(source, &emits).await;
}

async fn total_events(source: &Deployed) -> u64 {
    let page = source
        .api
        .get(&source.path("/event_summaries?limit=1"))
        .await
        .expect(200);
    page["page_info"]["total_count"].as_u64().expect("a number")
}

/// A page of a list.
pub(crate) async fn page(api: &Api, path: &str) -> Page {
    let body = api.get(path).await.expect(200);
    assert_eq!(field_names(&body), ["page_info", "data"]);
    let rows = body["data"].as_array().expect("a list").clone();
    assert_eq!(body["page_info"]["count"], rows.len());
    Page {
        info: body["page_info"].clone(),
        rows,
    }
}

pub(crate) struct Page {
    pub(crate) info: Value,
    pub(crate) rows: Vec<Value>,
}

impl Page {
    /// One field of every row.
    pub(crate) fn each(&self, field: &str) -> Vec<Value> {
        self.rows.iter().map(|row| row[field].clone()).collect()
    }

    pub(crate) fn end_cursor(&self) -> String {
        text(&self.info["end_cursor"])
    }

    pub(super) fn start_cursor(&self) -> String {
        text(&self.info["start_cursor"])
    }
}

/// Follows `after` from the first page to the empty one, and gives all pages before that.
pub(super) async fn all_pages(api: &Api, path: &str) -> Vec<Page> {
    let mut pages = vec![page(api, path).await];
    loop {
        let cursor = pages[pages.len() - 1].end_cursor();
        let next = page(api, &format!("{path}&after={cursor}")).await;
        if next.rows.is_empty() {
            return pages;
        }
        pages.push(next);
    }
}
