//! Sources that emit and sources that listen.

use serde_json::{Value, json};
use sluice_testkit::Api;

use crate::support::{Deployed, deploy};

/// Emits what it is sent, under the name it is sent.
pub(crate) const RELAY: &str = r#"module.exports = {
  name: "relay", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) {
    const { name, id, summary, delivery_ts, value } = event.body;
    this.$emit(value, { name, id, summary, delivery_ts });
  },
};"#;

/// Emits what it heard, and how often it has run.
pub(crate) const LISTENER: &str = r#"export default {
  name: "listener", version: "0.0.1", props: { db: "$.service.db" },
  run(event) {
    const runs = (this.db.get("runs") ?? 0) + 1;
    this.db.set("runs", runs);
    this.$emit({ heard: event, runs });
  },
};"#;

pub(crate) async fn relay(api: &Api) -> Deployed {
    deploy(api, RELAY).await
}

pub(crate) async fn listener(api: &Api) -> Deployed {
    deploy(api, LISTENER).await
}

pub(crate) async fn subscribe(api: &Api, emitter: &str, event_name: &str, listener: &str) -> Value {
    let body = json!({ "emitter_id": emitter, "event_name": event_name, "listener_id": listener });
    api.post("/subscriptions", &body).await.ok()
}

/// What a listener has heard, once it is as much as this, in the order heard.
pub(crate) async fn heard(listener: &Deployed, count: usize) -> Vec<Value> {
    let events = listener.events(count).await;
    events
        .into_iter()
        .map(|event| event["heard"].clone())
        .collect()
}
