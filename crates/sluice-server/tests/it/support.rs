//! Sources of a server in process, and waiting for their events.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{Answer, Method, wait_for};

use crate::server::{TestServer, User};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A user of a server of its own.
pub(crate) async fn new_user() -> User {
    TestServer::start().await.user().await
}

pub(crate) fn unique_name() -> String {
    format!("user-{:016x}", rand::random::<u64>())
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
}
