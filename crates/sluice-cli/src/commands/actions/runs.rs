//! `sluice actions runs`

use clap::Args;
use sluice_api::ActionRun;

use super::text::{action, details, error_text, state};
use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{duration, local_time, show, show_json, show_list},
        search::{self, SearchOptions},
    },
};

const EXAMPLES: &str = "\
Examples:
  sluice actions runs --since 1d
  sluice actions runs --query 'state:failed key:slack-send-message'";

/// List the runs of actions and tools, newest first, or show one run
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunsOptions {
    /// Id of the run to show, with its value and logs
    run: Option<String>,
    /// Maximum number of runs
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 10,
        conflicts_with = "run"
    )]
    limit: usize,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn runs(options: RunsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    if let Some(id) = &options.run {
        let run: ActionRun = client
            .get(&format!("/actions/runs/{}", escaped(id)))
            .await?;
        if options.common.json {
            return show_json(&run);
        }
        return Ok(show(&details(&run))?);
    }
    let runs: Vec<ActionRun> = search::newest(
        &client,
        "/actions/runs",
        &[],
        &options.search,
        options.limit,
    )
    .await?;
    let header = ["RUN", "ACTION", "STATE", "ACCEPTED", "TOOK", "ERROR"];
    let hint = "No runs: run an action with `sluice actions run`";
    show_list(&runs, options.common.json, &header, hint, |run| {
        vec![
            run.id.to_string(),
            action(run),
            state(&run.state),
            local_time(run.accepted_at_ms),
            run.duration_ms.map_or_else(|| "-".to_owned(), duration),
            run.error.as_ref().map(error_text).unwrap_or_default(),
        ]
    })
}
