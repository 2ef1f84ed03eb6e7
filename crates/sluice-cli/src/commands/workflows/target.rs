//! What most commands take: which workflow, how to show it, and where it is.

use anyhow::bail;
use clap::Args;
use sluice_api::Workflow;
use sluice_model::WorkflowId;

use crate::client::{Client, Connection};

#[derive(Debug, Args)]
pub(super) struct Common {
    /// Print JSON, as the API has it
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Id or slug of the workflow
    #[arg(value_name = "ID|SLUG")]
    pub(super) workflow: String,
}

impl Target {
    pub(super) async fn find(&self, client: &Client) -> anyhow::Result<Workflow> {
        find(client, &self.workflow).await
    }
}

pub(super) async fn find(client: &Client, id_or_slug: &str) -> anyhow::Result<Workflow> {
    let found = match WorkflowId::parse(id_or_slug) {
        Some(id) => client.find(&format!("/workflows/{id}")).await?,
        None => by_slug(client, id_or_slug).await?,
    };
    match found {
        Some(workflow) => Ok(workflow),
        None => bail!("there is no workflow {id_or_slug}: `sluice workflows list` shows yours"),
    }
}

pub(super) async fn by_slug(client: &Client, slug: &str) -> anyhow::Result<Option<Workflow>> {
    let workflows: Vec<Workflow> = client.all("/workflows").await?;
    Ok(workflows
        .into_iter()
        .find(|workflow| workflow.name_slug == slug))
}
