//! `sluice webhooks create`

use clap::Args;
use sluice_api::{CreateWebhook, Webhook};

use crate::commands::{
    common::Common,
    output::{complain, fields, show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice webhooks create https://example.com/hook --name ops
  sluice subscribe orders ops";

/// Make a webhook, and print the secret that its deliveries are signed with
///
/// The secret is shown this once. `sluice subscribe` says which events it gets.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateOptions {
    /// Where events are delivered
    #[arg(value_name = "URL")]
    address: String,
    /// What to call it
    #[arg(long)]
    name: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// How many deliveries may be under way at once; more than 1 gives up their order [default: 1]
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
    Ok(complain(&format!(
        "`sluice subscribe SOURCE {id}` sends it the events of a source\n"
    ))?)
}
