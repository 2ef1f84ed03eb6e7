//! `sluice users delete`

use clap::Args;

use super::target::Target;
use crate::commands::{
    deletion::{DeleteFlags, Deletion},
    output::sanitized,
};

/// Delete a user and everything the user owns
///
/// Sources and workflows of the user must be deleted first.
#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    let user = options.target.find(&client).await?;
    let name = sanitized(&user.username);
    let deletion = Deletion {
        collection: "/users",
        id: user.id.to_string(),
        question: format!("Delete {name} and everything the user owns?"),
        name,
    };
    options.flags.delete(&client, deletion).await
}
