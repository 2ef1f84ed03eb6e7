//! `sluice webhooks show`

use clap::Args;
use sluice_api::Webhook;

use super::{health::status, target::Target};
use crate::commands::{
    common::Common,
    output::{fields, local_time, sanitized, show_json},
};

/// Show a webhook, whether it works, and when the next attempt is
#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn show(options: ShowOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let id = options.target.find(&client).await?.id;
    let webhook: Webhook = client
        .get(&format!("/webhooks/{id}?expand=deliveries"))
        .await?;
    if options.common.json {
        return show_json(&webhook);
    }
    Ok(crate::commands::output::show(&fields(&lines(&webhook)))?)
}

pub(super) fn lines(webhook: &Webhook) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("id", webhook.id.to_string()),
        ("name", webhook.name.clone().unwrap_or_default()),
        ("url", webhook.url.clone()),
        ("status", status(&webhook.health)),
    ];
    let health = &webhook.health;
    lines.extend(
        health
            .failing_since
            .map(|at| ("failing since", local_time(at))),
    );
    lines.extend(
        health
            .error
            .as_deref()
            .map(|error| ("error", sanitized(error))),
    );
    if let Some(deliveries) = &webhook.deliveries {
        lines.push(("pending", deliveries.waiting.to_string()));
        lines.push(("failed", deliveries.failed.to_string()));
        let last = deliveries.delivered_at.map(local_time);
        lines.push(("last success", last.unwrap_or_else(|| "never".to_owned())));
    }
    lines
}
