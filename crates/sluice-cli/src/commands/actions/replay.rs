//! `sluice actions replay`

use clap::Args;
use serde_json::json;
use sluice_api::ActionRun;

use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{show, show_json},
    },
};

/// Run an action again with the version and the props of an earlier run
#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    /// Id of the earlier run
    run: String,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn replay(options: ReplayOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let path = format!("/actions/runs/{}/replay", escaped(&options.run));
    let run: ActionRun = client.post(&path, &json!({})).await?;
    if options.common.json {
        return show_json(&run);
    }
    Ok(show(&format!("{}\n", run.id))?)
}
