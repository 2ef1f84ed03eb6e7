//! `sluice webhooks delete`

use clap::Args;

use super::target::Target;
use crate::commands::deletion::{DeleteFlags, Deletion};

/// Delete a webhook with its subscriptions and deliveries
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    let webhook = options.target.find(&client).await?;
    let name = webhook.id.to_string();
    let deletion = Deletion {
        collection: "/webhooks",
        id: webhook.id.to_string(),
        question: format!("Delete the webhook {} with all deliveries?", webhook.url),
        name,
    };
    options.flags.delete(&client, deletion).await
}
