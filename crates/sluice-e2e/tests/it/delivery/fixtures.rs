//! A source that emits what it is told, and webhooks that listen to it.

use serde_json::{Value, json};
use sluice_testkit::{Plan, ServerInfo, ServerOptions, webhook::Webhook};

use crate::support::{Deployed, deploy, own_server, unique_name};

/// Emits the elements of its event's body.
const SOURCE: &str = r#"module.exports = {
  name: "source", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { for (const value of event.body) this.$emit(value); },
};"#;

/// Options for a server that delivers to this machine.
pub(super) fn options(retries: &str) -> ServerOptions {
    own_server()
        .arg("--allow-private-network")
        .arg("--webhook-retries")
        .arg(retries)
}

pub(super) struct Emitter {
    pub(super) source: Deployed,
}

impl Emitter {
    pub(super) async fn on(server: &ServerInfo) -> Emitter {
        let api = server.user(&unique_name(), Plan::Free).await;
        let source = deploy(&api, SOURCE).await;
        Emitter { source }
    }

    /// Emits values in one invocation.
    pub(super) async fn emit(&self, values: impl IntoIterator<Item = Value>) {
        let values: Vec<Value> = values.into_iter().collect();
        self.source.send(&Value::from(values)).await.expect(200);
    }

    /// A webhook that gets the events.
    pub(super) async fn webhook(&self, url: &str) -> Webhook {
        let body = json!({ "url": url });
        Webhook::create(&self.source.api, &self.source.id, &body, "").await
    }
}
