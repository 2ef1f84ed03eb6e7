//! `sluice workflows runs`

use clap::{Args, builder::PossibleValuesParser};
use sluice_api::Run;

use super::{
    run_text::{error_text, run_text, state},
    target::Target,
};
use crate::{
    client::{Client, ClientError, escaped},
    commands::{
        common::Common,
        output::{Table, duration, local_time, show, show_json},
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
const MAX_PAGE_SIZE: usize = 100;

/// List the runs of a workflow, newest first, or show one run
#[derive(Debug, Args)]
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
    let runs = newest(&client, &path, &options).await?;
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

async fn newest(
    client: &Client,
    path: &str,
    options: &RunsOptions,
) -> Result<Vec<Run>, ClientError> {
    let mut runs: Vec<Run> = Vec::new();
    let mut after: Option<String> = None;
    while runs.len() < options.limit {
        let limit = (options.limit - runs.len()).min(MAX_PAGE_SIZE).to_string();
        let mut query = vec![("limit", limit.as_str())];
        query.extend(options.state.as_deref().map(|state| ("state", state)));
        query.extend(after.as_deref().map(|cursor| ("after", cursor)));
        let page = client.page(path, &query).await?;
        runs.extend(page.data);
        match page.page_info.end_cursor {
            Some(cursor) => after = Some(cursor),
            None => break,
        }
    }
    Ok(runs)
}
