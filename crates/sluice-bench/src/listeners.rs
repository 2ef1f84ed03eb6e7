//! Webhooks, and a source that emits bursts of events for them.

use anyhow::{Context, ensure};
use serde_json::json;
use sluice_testkit::{Api, Server};

use crate::{
    deployment::{Source, concurrently, deploy, save_component, send, text},
    settings::Settings,
};

/// The receivers listen on loopback.
const ARGS: [&str; 1] = ["--allow-private-network"];

/// A server with one source, to which webhooks listen.
pub(crate) struct Emitter {
    pub(crate) server: Server,
    pub(crate) api: Api,
    pub(crate) source: Source,
}

impl Emitter {
    /// Starts a server and deploys the component in `file`.
    pub(crate) async fn start(settings: &Settings, file: &str) -> anyhow::Result<Emitter> {
        let server = settings.start_server(&ARGS).await?;
        let api = server.api();
        let component = save_component(&api, file).await?;
        let mut sources = deploy(&api, &component, &json!({}), 1).await?;
        let source = sources.pop().context("one source was deployed")?;
        Ok(Emitter {
            server,
            api,
            source,
        })
    }

    /// Makes the burst source emit this many events.
    pub(crate) async fn burst(&self, count: usize) -> anyhow::Result<()> {
        send(&self.api, &self.source, &json!({ "count": count })).await
    }

    /// Creates a webhook for each URL that listens to the source, concurrently.
    pub(crate) async fn add_webhooks(
        &self,
        urls: impl IntoIterator<Item = String>,
        concurrency: usize,
    ) -> anyhow::Result<()> {
        let webhooks = urls.into_iter().map(|url| {
            let (api, emitter) = (self.api.clone(), self.source.id.clone());
            async move { add_webhook(&api, &emitter, &url, concurrency).await }
        });
        concurrently(webhooks).await?;
        Ok(())
    }
}

async fn add_webhook(
    api: &Api,
    emitter: &str,
    url: &str,
    concurrency: usize,
) -> anyhow::Result<()> {
    let body = json!({ "url": url, "concurrency": concurrency });
    let webhook = text(&api.post("/webhooks", &body).await.ok(), "/id")?;
    let body = json!({ "emitter_id": emitter, "listener_id": webhook });
    let answer = api.post("/subscriptions", &body).await;
    ensure!(answer.status == 200, "cannot subscribe: {}", answer.text);
    Ok(())
}
