//! `sluice versions`

use clap::Args;
use sluice_api::SourceVersion;

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{GOOD, Table, local_time, sanitized, show, show_json, styled},
};

/// List the versions of a source, newest first
///
/// Creating a source makes version 1, and each change of its code or props makes the next one. The newest 100 are kept.
#[derive(Debug, Args)]
pub(crate) struct VersionsOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn versions(options: VersionsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/sources/{}/versions", source.id);
    let versions: Vec<SourceVersion> = client.get(&path).await?;
    if options.common.json {
        return show_json(&versions);
    }
    let mut table = Table::new(&["VERSION", "COMPONENT", "AUTHOR", "CREATED", "STATE"]);
    for version in versions {
        table.row(vec![
            version.number.to_string(),
            version.component_id.to_string(),
            sanitized(&version.author),
            local_time(version.created_at * 1000),
            state(&version),
        ]);
    }
    Ok(show(&table.to_text())?)
}

fn state(version: &SourceVersion) -> String {
    let running = version.running.then(|| styled(GOOD, "running"));
    let restored = version
        .restored
        .map(|number| format!("rollback to {number}"));
    let parts: Vec<String> = running.into_iter().chain(restored).collect();
    parts.join(", ")
}
