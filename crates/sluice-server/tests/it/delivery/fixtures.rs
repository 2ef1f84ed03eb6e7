//! A source that emits what it is told, webhooks that listen to it, and what became of their deliveries.

use serde_json::{Value, json};
use sluice_testkit::{
    Api, Plan, ServerInfo, ServerOptions,
    receiver::{Delivery, Receiver},
    shared, wait_for,
};

use crate::support::{Deployed, PATIENCE, deploy, own_server, unique_name};

/// Emits what it is sent, each under its name.
const SOURCE: &str = r#"module.exports = {
  name: "source", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { for (const { value, name } of event.body) this.$emit(value, { name }); },
};"#;

/// Options for a server that delivers to this machine.
pub(super) fn options(retries: &str) -> ServerOptions {
    own_server()
        .arg("--allow-private-network")
        .arg("--webhook-retries")
        .arg(retries)
}

/// The server that these tests share: it tries again twice, soon.
pub(super) fn server() -> &'static ServerInfo {
    shared("delivery", || options("200ms,200ms"))
}

pub(super) struct Emitter {
    pub(super) api: Api,
    pub(super) source: Deployed,
}

impl Emitter {
    /// A source of a new user's on the server that tests share.
    pub(super) async fn new() -> Emitter {
        Emitter::on(server()).await
    }

    pub(super) async fn on(server: &ServerInfo) -> Emitter {
        let api = server.user(&unique_name(), Plan::Free).await;
        let source = deploy(&api, SOURCE).await;
        Emitter { api, source }
    }

    /// Emits values on the default channel.
    pub(super) async fn emit(&self, values: impl IntoIterator<Item = Value>) {
        let events: Vec<Value> = values
            .into_iter()
            .map(|value| json!({ "value": value }))
            .collect();
        self.source.send(&Value::from(events)).await.expect(200);
    }

    /// Emits `1` to `count`, in one invocation.
    pub(super) async fn emit_numbers(&self, count: usize) {
        self.emit((1..=count).map(Value::from)).await;
    }

    /// A webhook that hears the default channel of the source; it is what creating it answered.
    pub(super) async fn webhook(&self, url: &str) -> Webhook {
        self.webhook_with(json!({ "url": url }), "").await
    }

    pub(super) async fn webhook_with(&self, body: Value, event_name: &str) -> Webhook {
        let created = self.api.post("/webhooks", &body).await.ok();
        let text = |field: &str| created[field].as_str().expect("text").to_owned();
        let webhook = Webhook {
            api: self.api.clone(),
            id: text("id"),
            secret: text("signing_secret"),
        };
        let subscription = json!({
            "emitter_id": self.source.id, "listener_id": webhook.id, "event_name": event_name,
        });
        self.api.post("/subscriptions", &subscription).await.ok();
        webhook
    }
}

pub(super) struct Webhook {
    pub(super) api: Api,
    pub(super) id: String,
    pub(super) secret: String,
}

impl Webhook {
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/webhooks/{}{rest}", self.id)
    }

    pub(super) async fn update(&self, change: Value) {
        self.api.put(&self.path(""), &change).await.ok();
    }

    /// Deliveries as they stand, oldest first.
    pub(super) async fn deliveries(&self) -> Vec<Value> {
        let page = self.api.get(&self.path("/deliveries?limit=100")).await;
        let mut rows = page.expect(200)["data"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        rows.reverse();
        rows
    }

    /// Waits until the deliveries are in these states, oldest first.
    pub(super) async fn wait_for(&self, states: &[&str]) -> Vec<Value> {
        self.wait_until(&format!("deliveries to be {states:?}"), |rows| {
            let found: Vec<_> = rows.iter().map(|row| row["state"].as_str()).collect();
            found.iter().copied().eq(states.iter().map(|s| Some(*s)))
        })
        .await
    }

    pub(super) async fn wait_until(
        &self,
        what: &str,
        holds: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        wait_for(PATIENCE, what, async || {
            let rows = self.deliveries().await;
            holds(&rows).then_some(rows)
        })
        .await
    }
}

/// A field of all attempts of a delivery.
pub(super) fn attempts<'a>(delivery: &'a Value, field: &str) -> Vec<&'a Value> {
    let attempts = delivery["attempts"].as_array().expect("attempts");
    attempts.iter().map(|attempt| &attempt[field]).collect()
}

/// The bodies that came to a path, in order.
pub(super) fn bodies(receiver: &Receiver, path: &str) -> Vec<Value> {
    let requests = receiver.requests();
    let to_path = requests.iter().filter(|request| request.path == path);
    to_path.map(Delivery::json).collect()
}
