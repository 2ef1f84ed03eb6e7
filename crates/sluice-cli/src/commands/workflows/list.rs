//! `sluice workflows list`

use clap::Args;
use sluice_api::Workflow;

use super::describe::trigger_kind;
use crate::{
    client::Client,
    commands::{
        common::Common,
        output::{activity, show_list},
    },
};

/// List your workflows, newest first
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    show_all(&client, options.common.json).await
}

/// Shows all workflows of the account.
pub(crate) async fn show_all(client: &Client, json: bool) -> anyhow::Result<()> {
    let workflows: Vec<Workflow> = client.all("/workflows").await?;
    let header = ["SLUG", "ID", "VERSION", "STATE", "QUEUED", "TRIGGERS"];
    let hint = "No workflows: create one with `sluice workflows deploy FILE`";
    show_list(&workflows, json, &header, hint, |workflow| {
        let triggers: Vec<&str> = workflow.triggers.iter().map(trigger_kind).collect();
        vec![
            workflow.name_slug.clone(),
            workflow.id.to_string(),
            workflow.version.to_string(),
            activity(workflow.active),
            workflow.queued.to_string(),
            triggers.join(", "),
        ]
    })
}
