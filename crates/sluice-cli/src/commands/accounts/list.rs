//! `sluice accounts list`

use clap::Args;
use sluice_api::Account;

use super::health::health;
use crate::{
    client::Client,
    commands::{
        common::Common,
        output::{sanitized, show_list},
    },
};

const NO_ACCOUNTS: &str = "No accounts: connect one with `sluice accounts connect APP`";

/// List your accounts, newest first
#[derive(Debug, Args)]
pub(super) struct ListOptions {
    /// Show only accounts of this app
    #[arg(long, value_name = "SLUG")]
    app: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    show_all(&client, options.app.as_deref(), options.common.json).await
}

/// Shows all accounts of the user, or those of one app.
pub(crate) async fn show_all(client: &Client, app: Option<&str>, json: bool) -> anyhow::Result<()> {
    let selection: Vec<_> = app.map(|app| ("app", app)).into_iter().collect();
    let accounts: Vec<Account> = client.all_matching("/accounts", &selection).await?;
    let header = ["ID", "APP", "NAME", "STATE"];
    show_list(&accounts, json, &header, NO_ACCOUNTS, |account| {
        vec![
            account.id.to_string(),
            account.app.name_slug.clone(),
            sanitized(&account.name),
            health(account),
        ]
    })
}
