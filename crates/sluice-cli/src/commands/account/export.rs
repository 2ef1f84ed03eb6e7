//! `sluice export DIR`

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{picture::folder_of, server::Account, write};
use crate::{
    client::Connection,
    commands::output::{counted, show},
};

/// Write everything of an account to a folder: components, sources, workflows, webhooks and subscriptions
///
/// Secrets are written by name only. Files that an earlier export wrote and that are no longer part of the account are removed;
/// other files are left alone.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The folder, which is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    connection: Connection,
}

pub(crate) async fn export(options: ExportOptions) -> anyhow::Result<ExitCode> {
    let client = options.connection.client()?;
    let account = Account::fetch(&client).await?;
    let written = write::write(&options.folder, &folder_of(&account))?;
    show(&format!(
        "{} in {}: {} changed, {} removed\n",
        counted(written.files, "file"),
        options.folder.display(),
        written.changed,
        written.removed.len()
    ))?;
    Ok(ExitCode::SUCCESS)
}
