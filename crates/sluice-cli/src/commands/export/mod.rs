//! `sluice export`

mod write;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use crate::commands::{
    common::Common,
    output::{counted, show, show_json},
    snapshot::{account::Account, from_account::folder_of},
};

/// Write the components, sources, workflows, webhooks and subscriptions of your account to a folder
///
/// Secrets are written by name only. Files of an earlier export that are no longer part of the account are removed. Other
/// files are kept.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// Folder to write to. It is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn export(options: ExportOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let account = Account::fetch(&client).await?;
    let result = write::write(&options.folder, &folder_of(&account))?;
    if options.common.json {
        show_json(&json!({
            "folder": options.folder, "files": result.files, "changed": result.changed, "removed": result.removed,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&format!(
        "{} in {}: {} changed, {} removed\n",
        counted(result.files, "file"),
        options.folder.display(),
        result.changed,
        result.removed.len()
    ))?;
    Ok(ExitCode::SUCCESS)
}
