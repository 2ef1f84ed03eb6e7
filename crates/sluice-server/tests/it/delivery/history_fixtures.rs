//! A server that retries quickly, a source that emits, and a webhook whose receiver fails as long as a test wants.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use sluice_testkit::{
    Method,
    receiver::{Answer, Receiver},
    wait_for,
};

use super::fixtures::server;
use crate::{
    server::User,
    support::{Deployed, EMITTER, PATIENCE, deploy},
};

/// A delivery is tried so often before it is given up.
pub(super) const TRIES: usize = 2;

/// A user of a server of its own that retries once.
pub(super) async fn new_user() -> User {
    server(&[Duration::from_millis(50)]).await.user().await
}

/// A source and a webhook that gets all its events.
pub(super) struct Line {
    pub(super) api: User,
    pub(super) source: Deployed,
    pub(super) webhook: Value,
    pub(super) receiver: Receiver,
    status: Arc<AtomicU16>,
}

impl Line {
    pub(super) async fn new(api: &User, status: u16) -> Line {
        let source = deploy(api, EMITTER).await;
        Line::from(source, status).await
    }

    /// Another webhook for a source that is there.
    pub(super) async fn from(source: Deployed, status: u16) -> Line {
        let status = Arc::new(AtomicU16::new(status));
        let answers = Arc::clone(&status);
        let receiver = Receiver::start(move |_| {
            Answer::status(answers.load(Ordering::SeqCst)).body("this is the answer")
        });
        let api = source.api.clone();
        let body = json!({ "url": receiver.url("/hook") });
        let webhook = api.post("/webhooks", &body).await.ok();
        for name in ["", "custom"] {
            let body = json!({
                "emitter_id": source.id, "listener_id": webhook["id"], "event_name": name,
            });
            api.post("/subscriptions", &body).await.expect(200);
        }
        Line {
            api,
            source,
            webhook,
            receiver,
            status,
        }
    }

    /// What the receiver answers from now on.
    pub(super) fn answer(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    pub(super) fn path(&self, rest: &str) -> String {
        format!("/webhooks/{}{rest}", text(&self.webhook["id"]))
    }

    /// Emits values on the default channel.
    pub(super) async fn emit(&self, values: &[Value]) {
        let emits: Vec<_> = values.iter().map(|value| json!([value])).collect();
        self.source.run(json!({ "emits": emits })).await;
    }

    /// All deliveries, newest first, once there are so many in this state.
    pub(super) async fn deliveries(&self, state: &str, count: usize) -> Vec<Value> {
        let path = self.path(&format!("/deliveries?limit=100&state={state}"));
        let what = format!("{count} deliveries that are {state}");
        wait_for(PATIENCE, &what, async || {
            let page = self.api.get(&path).await.expect(200);
            let rows = page["data"].as_array().cloned().unwrap_or_default();
            (rows.len() == count).then_some(rows)
        })
        .await
    }

    /// One event, given up by now.
    pub(super) async fn failed(api: &User) -> (Line, Value) {
        let line = Line::new(api, 500).await;
        line.emit(&[json!({ "n": 1 })]).await;
        let delivery = line.deliveries("failed", 1).await.remove(0);
        (line, delivery)
    }

    pub(super) async fn replay(&self, delivery: &Value) -> sluice_testkit::Answer {
        let path = format!("/deliveries/{}/replay", text(&delivery["id"]));
        self.api.request(Method::POST, &path).send().await
    }
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
