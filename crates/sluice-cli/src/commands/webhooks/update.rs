//! `sluice webhooks update`

use anyhow::bail;
use clap::Args;
use sluice_api::{UpdateWebhook, Webhook};
use sluice_model::TextChange;

use super::{show::lines, target::Target};
use crate::commands::{
    common::Common,
    output::{GOOD, fields, show, show_json, styled},
};

const EXAMPLES: &str = "\
Examples:
  sluice webhooks update ops --address https://example.com/new
  sluice webhooks update ops --name archive --description ''
  sluice webhooks update ops --activate";

/// Change the address, name, description, concurrency or state of a webhook
///
/// Everything else stays as it is. An inactive webhook gets no events, and none are kept for it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateOptions {
    #[command(flatten)]
    target: Target,
    /// New URL that events are delivered to
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// New name. Empty removes it
    #[arg(long)]
    name: Option<String>,
    /// New description. Empty removes it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Maximum concurrent deliveries. With more than 1 the order is not kept
    #[arg(long, value_name = "COUNT")]
    concurrency: Option<u32>,
    /// Activate the webhook, also after its receiver answered 410
    #[arg(long, conflicts_with = "deactivate")]
    activate: bool,
    /// Deactivate the webhook
    #[arg(long)]
    deactivate: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn update(options: UpdateOptions) -> anyhow::Result<()> {
    let body = options.body()?;
    let client = options.common.connection.client()?;
    let id = options.target.find(&client).await?.id;
    let webhook: Webhook = client.put(&format!("/webhooks/{id}"), &body).await?;
    if options.common.json {
        return show_json(&webhook);
    }
    let name = webhook.name.as_deref().unwrap_or(&webhook.url);
    let heading = format!("{} {name}\n", styled(GOOD, "Updated"));
    Ok(show(&format!("{heading}{}", fields(&lines(&webhook))))?)
}

impl UpdateOptions {
    fn body(&self) -> anyhow::Result<UpdateWebhook> {
        let body = UpdateWebhook {
            url: self.address.clone(),
            name: change(self.name.as_ref()),
            description: change(self.description.as_ref()),
            active: (self.activate || self.deactivate).then_some(self.activate),
            concurrency: self.concurrency,
        };
        if body == UpdateWebhook::default() {
            bail!(
                "nothing to change: use --address, --name, --description, --concurrency, --activate or --deactivate"
            );
        }
        Ok(body)
    }
}

fn change(text: Option<&String>) -> TextChange {
    match text {
        None => TextChange::Keep,
        Some(text) if text.is_empty() => TextChange::Clear,
        Some(text) => TextChange::Set(text.clone()),
    }
}
