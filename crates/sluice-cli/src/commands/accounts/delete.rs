//! `sluice accounts delete`

use clap::Args;

use super::target::Target;
use crate::commands::{
    deletion::{DeleteFlags, Deletion},
    output::sanitized,
};

/// Delete an account
///
/// Sources and workflows that use it will fail.
#[derive(Debug, Args)]
pub(super) struct DeleteOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    flags: DeleteFlags,
}

pub(super) async fn delete(options: DeleteOptions) -> anyhow::Result<()> {
    let client = options.flags.client()?;
    let account = options.target.find(&client).await?;
    let name = sanitized(&account.name);
    let deletion = Deletion {
        collection: "/accounts",
        id: account.id.to_string(),
        question: format!("Delete {name}? Sources and workflows that use it will fail."),
        name,
    };
    options.flags.delete(&client, deletion).await
}
