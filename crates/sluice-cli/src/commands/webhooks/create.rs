//! `sluice webhooks create`

use clap::Args;
use sluice_api::{CreateWebhook, Webhook};

use crate::commands::{
    common::Common,
    output::{fields, show, show_json, show_stderr},
};

const EXAMPLES: &str = "\
Examples:
  sluice webhooks create https://example.com/hook --name ops
  sluice subscribe orders ops";

/// Create a webhook, and print the secret that signs its deliveries
///
/// The secret is shown only once. Use `sluice subscribe` to send it events.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateOptions {
    /// URL that events are delivered to
    #[arg(value_name = "URL")]
    address: String,
    /// Name of the webhook
    #[arg(long)]
    name: Option<String>,
    /// Description of the webhook
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Maximum concurrent deliveries. With more than 1 the order is not kept [default: 1]
    #[arg(long, value_name = "COUNT")]
    concurrency: Option<u32>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn create(options: CreateOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let body = CreateWebhook {
        url: Some(options.address),
        name: options.name,
        description: options.description,
        concurrency: options.concurrency,
    };
    let webhook: Webhook = client.post("/webhooks", &body).await?;
    if options.common.json {
        return show_json(&webhook);
    }
    let id = webhook.id.to_string();
    let lines = [
        ("id", id.clone()),
        ("url", webhook.url),
        ("secret", webhook.signing_secret.unwrap_or_default()),
    ];
    show(&fields(&lines))?;
    Ok(show_stderr(&format!(
        "Send it the events of a source with `sluice subscribe SOURCE {id}`\n"
    ))?)
}
