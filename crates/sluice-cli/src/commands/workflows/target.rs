//! Looking up a workflow.

use clap::Args;
use sluice_api::Workflow;

use crate::{
    client::{Client, ClientError, escaped},
    exit::NotFound,
};

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
    look_up(client, id_or_slug).await?.ok_or_else(|| {
        NotFound(format!(
            "no workflow {id_or_slug}: list yours with `sluice workflows list`"
        ))
        .into()
    })
}

pub(super) async fn look_up(
    client: &Client,
    id_or_slug: &str,
) -> Result<Option<Workflow>, ClientError> {
    client
        .find(&format!("/workflows/{}", escaped(id_or_slug)))
        .await
}
