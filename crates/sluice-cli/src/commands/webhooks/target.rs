//! Looking up a webhook.

use anyhow::bail;
use clap::Args;
use sluice_api::Webhook;

use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Id or name of the webhook
    #[arg(value_name = "ID|NAME")]
    webhook: String,
}

impl Target {
    pub(super) async fn find(&self, client: &Client) -> anyhow::Result<Webhook> {
        let name = &self.webhook;
        let path = format!("/webhooks/{}", escaped(name));
        if let Some(webhook) = client.find(&path).await? {
            return Ok(webhook);
        }
        by_name(client, name).await?.ok_or_else(|| {
            NotFound(format!(
                "no webhook {name}: list yours with `sluice list webhooks`"
            ))
            .into()
        })
    }
}

pub(crate) async fn by_name(client: &Client, name: &str) -> anyhow::Result<Option<Webhook>> {
    let mut named: Vec<Webhook> = client.all("/users/me/webhooks").await?;
    named.retain(|webhook| webhook.name.as_deref() == Some(name));
    if named.len() > 1 {
        bail!("several webhooks are named {name}: use the id of one");
    }
    Ok(named.pop())
}
