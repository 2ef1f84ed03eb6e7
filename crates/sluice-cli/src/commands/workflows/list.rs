//! `sluice workflows list`

use clap::Args;
use sluice_api::Workflow;

use super::describe::trigger_words;
use crate::commands::{
    common::Common,
    output::{FAINT, GOOD, Table, show, show_json, styled},
};

/// List the workflows of the account, newest first
#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ListOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflows: Vec<Workflow> = client.all("/workflows").await?;
    if options.common.json {
        return show_json(&workflows);
    }
    if workflows.is_empty() {
        show("No workflows yet: `sluice workflows deploy FILE` makes one.\n")?;
        return Ok(());
    }
    let mut table = Table::new(&["SLUG", "ID", "VERSION", "STATE", "QUEUED", "TRIGGERS"]);
    for workflow in workflows {
        let triggers: Vec<&str> = workflow.triggers.iter().map(trigger_words).collect();
        table.row(vec![
            workflow.name_slug,
            workflow.id.to_string(),
            workflow.version.to_string(),
            activity(workflow.active),
            workflow.queued.to_string(),
            triggers.join(", "),
        ]);
    }
    Ok(show(&table.to_text())?)
}

pub(super) fn activity(active: bool) -> String {
    if active {
        styled(GOOD, "active")
    } else {
        styled(FAINT, "inactive")
    }
}
