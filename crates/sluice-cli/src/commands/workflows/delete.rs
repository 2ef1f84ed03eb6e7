//! `sluice workflows delete`

use clap::Args;
use serde_json::json;

use super::target::Target;
use crate::commands::{
    ask::Confirmation,
    common::Common,
    output::{show, show_json},
};

/// Delete a workflow with its versions, runs and events
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
    let workflow = options.target.find(&client).await?;
    let question = format!(
        "Delete {} with its versions, runs and events?",
        workflow.name_slug
    );
    options
        .confirmation
        .require(question, options.common.json)
        .await?;
    client
        .delete(&format!("/workflows/{}", workflow.id))
        .await?;
    if options.common.json {
        return show_json(&json!({ "deleted": workflow.id }));
    }
    Ok(show(&format!("Deleted {}\n", workflow.name_slug))?)
}
