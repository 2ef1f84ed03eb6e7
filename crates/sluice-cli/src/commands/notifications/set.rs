//! `sluice notifications set`

use anyhow::bail;
use clap::{Args, ValueEnum};
use sluice_api::{NotificationSettings, UpdateNotifications};
use sluice_model::TextChange;

use super::show::{PATH, print};
use crate::commands::common::Common;

const EXAMPLES: &str = "\
Examples:
  sluice notifications set --mail on
  sluice notifications set --webhook https://example.com/alerts --quiet-seconds 14400
  sluice notifications set --webhooks off --failures 10";

/// Change where you are notified of failures, and of what
///
/// Options that are not given stay as they are. When a webhook is set for the first time, the secret that signs its requests is
/// printed. It is shown only once.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SetOptions {
    /// Send mail
    #[arg(long, value_enum)]
    mail: Option<Switch>,
    /// Address for mail, or an empty text for the address of the account
    #[arg(long, value_name = "ADDRESS")]
    mail_to: Option<String>,
    /// URL that gets signed requests, or an empty text for none
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,
    /// Report sources
    #[arg(long, value_enum)]
    sources: Option<Switch>,
    /// Report workflows
    #[arg(long, value_enum)]
    workflows: Option<Switch>,
    /// Report webhooks
    #[arg(long, value_enum)]
    webhooks: Option<Switch>,
    /// Report a source or workflow after this many failures in a row
    #[arg(long, value_name = "COUNT")]
    failures: Option<u64>,
    /// Report a webhook when it has failed for this long
    #[arg(long, value_name = "SECONDS")]
    webhook_seconds: Option<i64>,
    /// Do not report the same source, workflow or webhook again within this time
    #[arg(long, value_name = "SECONDS")]
    quiet_seconds: Option<i64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

pub(super) async fn set(options: SetOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let on = |switch: Option<Switch>| switch.map(|switch| switch == Switch::On);
    let body = UpdateNotifications {
        mail: on(options.mail),
        mail_to: change(options.mail_to),
        webhook_url: change(options.webhook),
        sources: on(options.sources),
        workflows: on(options.workflows),
        webhooks: on(options.webhooks),
        failures: options.failures,
        webhook_seconds: options.webhook_seconds,
        quiet_seconds: options.quiet_seconds,
    };
    if body == UpdateNotifications::default() {
        bail!("nothing to change: give an option, such as --mail on");
    }
    let settings: NotificationSettings = client.put(PATH, &body).await?;
    print(&settings, options.common.json)
}

fn change(text: Option<String>) -> TextChange {
    match text {
        None => TextChange::Keep,
        Some(text) if text.is_empty() => TextChange::Clear,
        Some(text) => TextChange::Set(text),
    }
}
