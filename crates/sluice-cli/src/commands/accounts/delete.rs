//! `sluice accounts delete`

use clap::Args;
use serde_json::json;

use super::Target;
use crate::commands::{
    ask::Agreement,
    common::Common,
    output::{harmless, show, show_json},
};

/// Delete an account; what uses it fails from then on
#[derive(Debug, Args)]
pub(super) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let account = options.target.find(&client).await?;
    let name = harmless(&account.name);
    let question = format!("Delete {name}? What uses it fails from then on.");
    options.agreement.to(question, options.common.json).await?;
    client.delete(&format!("/accounts/{}", account.id)).await?;
    if options.common.json {
        return show_json(&json!({ "deleted": account.id }));
    }
    Ok(show(&format!("Deleted {name}\n"))?)
}
