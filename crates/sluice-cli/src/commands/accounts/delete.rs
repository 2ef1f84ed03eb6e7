//! `sluice accounts delete`

use clap::Args;
use serde_json::json;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{sanitized, show, show_json},
};

/// Delete an account
///
/// Sources and workflows that use it will fail.
#[derive(Debug, Args)]
pub(super) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let account = options.target.find(&client).await?;
    let name = sanitized(&account.name);
    let question = format!("Delete {name}? Sources and workflows that use it will fail.");
    options
        .confirmation
        .require(question, options.common.json)
        .await?;
    client.delete(&format!("/accounts/{}", account.id)).await?;
    if options.common.json {
        return show_json(&json!({ "deleted": account.id }));
    }
    Ok(show(&format!("Deleted {name}\n"))?)
}
