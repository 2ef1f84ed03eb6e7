//! `sluice workflows delete`

use clap::Args;

use super::target::Target;
use crate::commands::deletion::{DeleteFlags, Deletion};

/// Delete a workflow with its versions, runs and events
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    let workflow = options.target.find(&client).await?;
    let name = workflow.name_slug;
    let deletion = Deletion {
        collection: "/workflows",
        id: workflow.id.to_string(),
        question: format!("Delete {name} with its versions, runs and events?"),
        name,
    };
    options.flags.delete(&client, deletion).await
}
