//! `sluice export DIR`

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{picture::folder_of, server::Account, write};
use crate::commands::{
    common::Common,
    output::{counted, show, show_json},
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
    common: Common,
}

pub(crate) async fn export(options: ExportOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let account = Account::fetch(&client).await?;
    let written = write::write(&options.folder, &folder_of(&account))?;
    if options.common.json {
        show_json(&json!({
            "folder": options.folder, "files": written.files, "changed": written.changed, "removed": written.removed,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&format!(
        "{} in {}: {} changed, {} removed\n",
        counted(written.files, "file"),
        options.folder.display(),
        written.changed,
        written.removed.len()
    ))?;
    Ok(ExitCode::SUCCESS)
}
