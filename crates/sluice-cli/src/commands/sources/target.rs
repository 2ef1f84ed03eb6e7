//! Looking up a source.

use clap::Args;
use sluice_api::Source;

use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

#[derive(Debug, Args)]
pub(crate) struct Target {
    /// Id or slug of the source
    #[arg(value_name = "ID|SLUG")]
    pub(crate) source: String,
}

impl Target {
    pub(crate) async fn find(&self, client: &Client) -> anyhow::Result<Source> {
        let found = client
            .find(&format!("/sources/{}", escaped(&self.source)))
            .await?;
        found.ok_or_else(|| {
            let name = &self.source;
            NotFound(format!(
                "no source {name}: list yours with `sluice list sources`"
            ))
            .into()
        })
    }
}
