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
        look_up(client, name).await?.ok_or_else(|| {
            NotFound(format!(
                "no webhook {name}: list yours with `sluice list webhooks`"
            ))
            .into()
        })
    }
}

/// The webhook with this id or name.
pub(crate) async fn look_up(client: &Client, id_or_name: &str) -> anyhow::Result<Option<Webhook>> {
    let path = format!("/webhooks/{}", escaped(id_or_name));
    match client.find(&path).await? {
        Some(webhook) => Ok(Some(webhook)),
        None => by_name(client, id_or_name).await,
    }
}

async fn by_name(client: &Client, name: &str) -> anyhow::Result<Option<Webhook>> {
    let mut named: Vec<Webhook> = client.all("/users/me/webhooks").await?;
    named.retain(|webhook| webhook.name.as_deref() == Some(name));
    if named.len() > 1 {
        bail!("several webhooks are named {name}: use the id of one");
    }
    Ok(named.pop())
}
