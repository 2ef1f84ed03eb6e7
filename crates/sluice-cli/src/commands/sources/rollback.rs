//! `sluice rollback`

use clap::Args;
use sluice_api::{RollBackSource, Source};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{show, show_json},
};

/// Roll back a source to an earlier version
///
/// The source gets the code and props of that version, as a new version. Its name, state and retention stay.
#[derive(Debug, Args)]
pub(crate) struct RollbackOptions {
    #[command(flatten)]
    target: Target,
    /// Number of the version
    version: u32,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn rollback(options: RollbackOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let body = RollBackSource {
        version: Some(options.version),
    };
    let path = format!("/sources/{}/rollback", source.id);
    let source: Source = client.post(&path, &body).await?;
    if options.common.json {
        return show_json(&source);
    }
    let (slug, number, from) = (&source.name_slug, source.version, options.version);
    Ok(show(&format!(
        "{slug} is now at version {number}, a copy of version {from}\n"
    ))?)
}
