//! `sluice registry undo`

use std::process::ExitCode;

use clap::Args;
use sluice_api::UndoneImport;

use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{show, show_json},
    },
};

/// Undo the last import of a checkout
///
/// Versions that the import added are removed from the registry, and versions that it replaced or removed are restored. Sources and
/// workflows that use them keep running. `sluice registry imports` lists the imports.
#[derive(Debug, Args)]
pub(crate) struct UndoOptions {
    /// Id of the import, such as `imp_x7Kd92LmQp0a`
    #[arg(value_name = "IMPORT")]
    import: String,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn undo(options: UndoOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let path = format!("/components/registry/imports/{}", escaped(&options.import));
    let undone: UndoneImport = client.delete_with_result(&path).await?;
    if options.common.json {
        show_json(&undone)?;
    } else {
        let UndoneImport {
            removed,
            restored,
            kept,
        } = undone;
        let kept = match kept {
            0 => String::new(),
            kept => format!(", kept {kept} that were changed since"),
        };
        show(&format!("removed {removed}, restored {restored}{kept}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
