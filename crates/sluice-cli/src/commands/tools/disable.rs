//! `sluice tools disable`

use clap::Args;

use crate::{
    client::escaped,
    commands::{common::Common, output::show},
};

/// Disable a tool
///
/// The action and the record of its runs stay.
#[derive(Debug, Args)]
pub(crate) struct DisableOptions {
    /// Name of the tool
    name: String,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn disable(options: DisableOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    client
        .delete(&format!("/tools/{}", escaped(&options.name)))
        .await?;
    Ok(show(&format!("{} disabled\n", options.name))?)
}
