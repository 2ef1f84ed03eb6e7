//! `sluice workflows activate` and `sluice workflows deactivate`

use clap::Args;
use sluice_api::{DeployWorkflow, Workflow};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{activity, show, show_json},
};

/// Activate a workflow
#[derive(Debug, Args)]
pub(crate) struct ActivateOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

/// Deactivate a workflow. It gets no events, and queued ones wait
#[derive(Debug, Args)]
pub(crate) struct DeactivateOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn activate(options: ActivateOptions) -> anyhow::Result<()> {
    set_active(&options.target, &options.common, true).await
}

pub(super) async fn deactivate(options: DeactivateOptions) -> anyhow::Result<()> {
    set_active(&options.target, &options.common, false).await
}

async fn set_active(target: &Target, common: &Common, active: bool) -> anyhow::Result<()> {
    let client = common.connection.client()?;
    let workflow = target.find(&client).await?;
    let body = DeployWorkflow {
        active: Some(active),
        ..DeployWorkflow::default()
    };
    let path = format!("/workflows/{}", workflow.id);
    let workflow: Workflow = client.put(&path, &body).await?;
    if common.json {
        return show_json(&workflow);
    }
    let state = activity(workflow.active);
    Ok(show(&format!("{} is {state}\n", workflow.name_slug))?)
}
