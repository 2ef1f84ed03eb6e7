//! A source that emits what it is told, and webhooks that listen to it.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use sluice_infra::Settings;
use sluice_testkit::webhook::Webhook;

use crate::{
    server::{TestServer, User},
    support::{Deployed, EMITTER, deploy},
};

/// A short pause before a retry.
pub(super) const SOON: Duration = Duration::from_millis(200);

/// Starts a server with these pauses between attempts.
pub(super) async fn server(retries: &[Duration]) -> Arc<TestServer> {
    custom_server(retries, |_| {}).await
}

pub(super) async fn custom_server(
    retries: &[Duration],
    change: impl FnOnce(&mut Settings),
) -> Arc<TestServer> {
    TestServer::with(|settings| {
        settings.webhook_retries = retries.to_vec();
        change(settings);
    })
    .await
}

pub(super) struct Emitter {
    pub(super) api: User,
    pub(super) source: Deployed,
}

impl Emitter {
    /// A source on a server of its own, which retries twice, soon.
    pub(super) async fn new() -> Emitter {
        Emitter::on(&server(&[SOON, SOON]).await).await
    }

    pub(super) async fn on(server: &Arc<TestServer>) -> Emitter {
        let api = server.user().await;
        let source = deploy(&api, EMITTER).await;
        Emitter { api, source }
    }

    /// Emits values on the default channel.
    pub(super) async fn emit(&self, values: impl IntoIterator<Item = Value>) {
        let emits: Vec<_> = values.into_iter().map(|value| json!([value])).collect();
        self.source.run(json!({ "emits": emits })).await;
    }

    /// Emits `1` to `count`, in one invocation.
    pub(super) async fn emit_numbers(&self, count: usize) {
        self.emit((1..=count).map(Value::from)).await;
    }

    /// A webhook that gets the events of the default channel.
    pub(super) async fn webhook(&self, url: &str) -> Webhook {
        self.webhook_with(json!({ "url": url }), "").await
    }

    pub(super) async fn webhook_with(&self, body: Value, event_name: &str) -> Webhook {
        Webhook::create(&self.api, &self.source.id, &body, event_name).await
    }
}
