//! `sluice workflows runs`

use clap::{Args, builder::PossibleValuesParser};
use sluice_api::Run;

use super::{
    run_text::{error_text, run_text, state},
    target::Target,
};
use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{Table, duration, local_time, show, show_json},
        search::{self, SearchOptions},
    },
};

const STATES: [&str; 6] = [
    "queued",
    "running",
    "waiting",
    "succeeded",
    "failed",
    "cancelled",
];

const EXAMPLES: &str = "\
Examples:
  sluice workflows runs orders
  sluice workflows runs orders --state failed --since 1d
  sluice workflows runs orders --query 'error:*declined* total:>100'";

/// List the runs of a workflow, newest first, or show one run
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunsOptions {
    #[command(flatten)]
    target: Target,
    /// Id of the run to show, with all its steps
    run: Option<String>,
    /// Only runs in this state
    #[arg(long, value_parser = PossibleValuesParser::new(STATES), conflicts_with = "run")]
    state: Option<String>,
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
    let workflow = options.target.find(&client).await?;
    let path = format!("/workflows/{}/runs", workflow.id);
    if let Some(id) = &options.run {
        let run: Run = client.get(&format!("{path}/{}", escaped(id))).await?;
        if options.common.json {
            return show_json(&run);
        }
        return Ok(show(&run_text(&run))?);
    }
    let parameters = options.state.as_deref().map(|state| ("state", state));
    let parameters = parameters.as_slice();
    let runs: Vec<Run> =
        search::newest(&client, &path, parameters, &options.search, options.limit).await?;
    if options.common.json {
        return show_json(&runs);
    }
    let mut table = Table::new(&[
        "RUN", "STATE", "VERSION", "SOURCE", "STARTED", "TOOK", "ERROR",
    ]);
    for run in runs {
        table.row(vec![
            run.id.to_string(),
            state(&run.state),
            run.version.to_string(),
            run.source_type,
            run.started_at_ms.map_or_else(|| "-".to_owned(), local_time),
            run.duration_ms.map_or_else(|| "-".to_owned(), duration),
            run.error.as_ref().map(error_text).unwrap_or_default(),
        ]);
    }
    Ok(show(&table.to_text())?)
}
