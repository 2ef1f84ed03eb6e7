//! `sluice webhooks delete`

use clap::Args;
use serde_json::json;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{show, show_json},
};

/// Delete a webhook with its subscriptions and deliveries
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let webhook = options.target.find(&client).await?;
    let question = format!("Delete the webhook {} with all deliveries?", webhook.url);
    options
        .confirmation
        .require(question, options.common.json)
        .await?;
    client.delete(&format!("/webhooks/{}", webhook.id)).await?;
    if options.common.json {
        return show_json(&json!({ "deleted": webhook.id }));
    }
    Ok(show(&format!("Deleted {}\n", webhook.id))?)
}
