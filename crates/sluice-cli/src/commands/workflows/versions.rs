//! `sluice workflows versions`

use clap::Args;
use sluice_api::WorkflowVersion;

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{GOOD, Table, local_time, show, show_json, styled},
};

/// List the versions of a workflow, newest first
#[derive(Debug, Args)]
pub(crate) struct VersionsOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn versions(options: VersionsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let path = format!("/workflows/{}/versions", workflow.id);
    let versions: Vec<WorkflowVersion> = client.get(&path).await?;
    if options.common.json {
        return show_json(&versions);
    }
    let mut table = Table::new(&["VERSION", "ID", "DEPLOYED", "STATE"]);
    for version in versions {
        let state = if version.running {
            styled(GOOD, "running")
        } else {
            String::new()
        };
        table.row(vec![
            version.number.to_string(),
            version.id.to_string(),
            local_time(version.created_at * 1000),
            state,
        ]);
    }
    Ok(show(&table.to_text())?)
}
