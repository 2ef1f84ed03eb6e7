//! `sluice users delete`

use clap::Args;
use serde_json::json;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{sanitized, show, show_json},
};

/// Delete a user and everything the user owns
///
/// Sources and workflows of the user must be deleted first.
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let user = options.target.find(&client).await?;
    let name = sanitized(&user.username);
    let question = format!("Delete {name} and everything the user owns?");
    options
        .confirmation
        .require(question, options.common.json)
        .await?;
    client.delete(&format!("/users/{}", user.id)).await?;
    if options.common.json {
        return show_json(&json!({ "deleted": user.id }));
    }
    Ok(show(&format!("Deleted {name}\n"))?)
}
