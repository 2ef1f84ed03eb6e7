//! `sluice workflows rollback`

use clap::Args;
use sluice_api::{RollBackWorkflow, Workflow};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{show, show_json},
};

/// Roll back a workflow to an earlier version
#[derive(Debug, Args)]
pub(crate) struct RollbackOptions {
    #[command(flatten)]
    target: Target,
    /// Number of the version
    version: u32,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn rollback(options: RollbackOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let body = RollBackWorkflow {
        version: Some(options.version),
    };
    let path = format!("/workflows/{}/rollback", workflow.id);
    let workflow: Workflow = client.post(&path, &body).await?;
    if options.common.json {
        return show_json(&workflow);
    }
    let (slug, version) = (&workflow.name_slug, workflow.version);
    Ok(show(&format!("{slug} is now at version {version}\n"))?)
}
