//! `sluice webhooks rotate`

use clap::Args;
use serde_json::json;
use sluice_api::Webhook;

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{fields, show, show_json, show_stderr},
};

/// Give a webhook a new secret, and print it
///
/// The secret is shown only once. For 24 hours deliveries are signed with both secrets, so that receivers can be changed.
#[derive(Debug, Args)]
pub(crate) struct RotateOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn rotate(options: RotateOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let id = options.target.find(&client).await?.id;
    let path = format!("/webhooks/{id}/rotate_secret");
    let webhook: Webhook = client.post(&path, &json!({})).await?;
    if options.common.json {
        return show_json(&webhook);
    }
    let lines = [
        ("id", id.to_string()),
        ("url", webhook.url),
        ("secret", webhook.signing_secret.unwrap_or_default()),
    ];
    show(&fields(&lines))?;
    Ok(show_stderr(
        "The old secret also signs deliveries for 24 hours\n",
    )?)
}
