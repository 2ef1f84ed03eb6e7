//! Sources of a server in process, and waiting for their events.

use std::{
    cell::RefCell,
    sync::{Arc, Weak},
    time::Duration,
};

use serde_json::{Value, json};
use sluice_testkit::{Answer, Method, unique_hex, wait_for};

use crate::server::{TestServer, User};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Emits the list `emits` of its event, of `[data, metadata]` pairs.
pub(crate) const EMITTER: &str = r#"module.exports = { "name": "Emitter", "version": "0.0.1",
    "props": { "http": "$.interface.http" }, "run": { "emit": "asked" } };"#;

thread_local! {
    /// The server of the test that runs on this thread.
    static SERVER: RefCell<Weak<TestServer>> = RefCell::default();
}

/// A new user of the test's own server, which is started for the first of them.
pub(crate) async fn new_user() -> User {
    server().await.user().await
}

/// The test's own server.
pub(crate) async fn server() -> Arc<TestServer> {
    if let Some(server) = SERVER.with_borrow(Weak::upgrade) {
        return server;
    }
    let server = TestServer::start().await;
    SERVER.set(Arc::downgrade(&server));
    server
}

pub(crate) fn unique_name() -> String {
    format!("user-{}", &unique_hex()[..16])
}

/// A deployed source and the user who owns it.
#[derive(Clone)]
pub(crate) struct Deployed {
    pub(crate) api: User,
    pub(crate) id: String,
    pub(crate) source: Value,
}

/// Deploys code that must load, without props.
pub(crate) async fn deploy(api: &User, code: &str) -> Deployed {
    deploy_with(api, code, json!({})).await
}

pub(crate) async fn deploy_with(api: &User, code: &str, props: Value) -> Deployed {
    let body = json!({ "component_code": code, "configured_props": props });
    let source = api.post("/sources", &body).await.ok();
    Deployed {
        api: api.clone(),
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
    }
}

impl Deployed {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/sources/{}{rest}", self.id)
    }

    /// The address of its only HTTP interface, which is a prop named `http`.
    pub(crate) fn endpoint(&self) -> &str {
        self.source["configured_props"]["http"]["endpoint_url"]
            .as_str()
            .expect("an endpoint")
    }

    /// Posts JSON to the endpoint.
    pub(crate) async fn send(&self, body: &Value) -> Answer {
        let request = self.api.absolute(Method::POST, self.endpoint());
        request.json(body).send().await
    }

    pub(crate) async fn run(&self, event: Value) -> Value {
        let body = json!({ "event": event });
        self.api.post(&self.path("/run"), &body).await.ok()
    }

    /// Event summaries as they stand, newest first, with their data whole.
    pub(crate) async fn summaries(&self) -> Vec<Value> {
        let path = self.path("/event_summaries?limit=100&expand=event");
        let page = self.api.get(&path).await.expect(200);
        page["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until there are `count` events and returns their data, oldest first.
    pub(crate) async fn events(&self, count: usize) -> Vec<Value> {
        let summaries = wait_for(PATIENCE, &format!("{count} events"), async || {
            let summaries = self.summaries().await;
            (summaries.len() >= count).then_some(summaries)
        })
        .await;
        assert_eq!(summaries.len(), count, "{summaries:#?}");
        let oldest_first = summaries.into_iter().rev();
        oldest_first
            .map(|summary| summary["event"].clone())
            .collect()
    }

    /// Waits for errors in `$errors` and returns their data, oldest first.
    pub(crate) async fn errors(&self, count: usize) -> Vec<Value> {
        let path = self.path("/event_summaries?limit=100&expand=event&event_name=$errors");
        let mut errors = wait_for(PATIENCE, &format!("{count} errors"), async || {
            let page = self.api.get(&path).await.expect(200);
            let rows = page["data"].as_array().cloned().unwrap_or_default();
            (rows.len() >= count).then_some(rows)
        })
        .await;
        errors.reverse();
        errors.into_iter().map(|row| row["event"].clone()).collect()
    }

    /// Log lines as they stand, oldest first.
    pub(crate) async fn logs(&self) -> Vec<Value> {
        let page = self
            .api
            .get(&self.path("/logs?limit=100"))
            .await
            .expect(200);
        let mut rows = page["data"].as_array().cloned().unwrap_or_default();
        rows.reverse();
        rows
    }

    /// Waits for a log line that contains `text`.
    pub(crate) async fn log_with(&self, text: &str) -> Value {
        wait_for(PATIENCE, &format!("a log line with {text:?}"), async || {
            let logs = self.logs().await;
            let has_text = |row: &Value| row["msg"].as_str().is_some_and(|msg| msg.contains(text));
            logs.into_iter().find(has_text)
        })
        .await
    }
}
