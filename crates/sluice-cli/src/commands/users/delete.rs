//! `sluice users delete`

use clap::Args;
use serde_json::json;

use super::target::Target;
use crate::commands::{
    ask::Agreement,
    common::Common,
    output::{harmless, show, show_json},
};

/// Delete a user who has no sources and no workflows, with all the rest
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    agreement: Agreement,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let user = options.target.find(&client).await?;
    let name = harmless(&user.username);
    let question = format!("Delete {name} with everything?");
    options.agreement.to(question, options.common.json).await?;
    client.delete(&format!("/users/{}", user.id)).await?;
    if options.common.json {
        return show_json(&json!({ "deleted": user.id }));
    }
    Ok(show(&format!("Deleted {name}\n"))?)
}
