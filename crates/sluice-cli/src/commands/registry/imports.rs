//! `sluice registry imports`

use std::process::ExitCode;

use clap::Args;

use super::upload;
use crate::commands::{
    common::Common,
    output::{local_time, sanitized, show_list},
};

/// List the imports that can be undone: the last one of each checkout
#[derive(Debug, Args)]
pub(crate) struct ImportsOptions {
    #[command(flatten)]
    common: Common,
}

pub(super) async fn list(options: ImportsOptions) -> anyhow::Result<ExitCode> {
    let client = options.common.connection.client()?;
    let imports = upload::imports(&client).await?;
    let header = ["ID", "TREE", "ADDED", "REPLACED", "REMOVED", "CREATED"];
    let json = options.common.json;
    show_list(&imports, json, &header, "No imports", |import| {
        vec![
            import.id.clone(),
            sanitized(&import.tree),
            import.added.to_string(),
            import.replaced.to_string(),
            import.removed.to_string(),
            local_time(import.created_at * 1000),
        ]
    })?;
    Ok(ExitCode::SUCCESS)
}
