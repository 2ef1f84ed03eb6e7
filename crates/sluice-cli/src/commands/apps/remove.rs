//! `sluice apps remove`

use anyhow::anyhow;
use clap::Args;

use super::target::{find, require_operator};
use crate::{
    client::ClientError,
    commands::{
        deletion::{DeleteFlags, Deletion},
        output::sanitized,
    },
};

/// Remove an app that has no accounts (operator only)
///
/// An app of the catalogue stays there. It loses its OAuth client and the settings of the operator.
#[derive(Debug, Args)]
pub(crate) struct RemoveOptions {
    /// Slug of the app
    #[arg(value_name = "SLUG")]
    app: String,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn remove(options: RemoveOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    require_operator(&client).await?;
    let app = find(&client, &options.app).await?;
    let name = sanitized(&app.name);
    let deletion = Deletion {
        collection: "/apps",
        id: app.name_slug,
        question: format!("Remove {name} and its OAuth client?"),
        name: name.clone(),
    };
    let removed = options.flags.delete(&client, deletion).await;
    removed.map_err(|error| match error.downcast_ref() {
        Some(ClientError::Api { status: 404, .. }) => {
            anyhow!("{name} is an app of the catalogue, without a client or settings to remove")
        }
        _ => error,
    })
}
