//! `sluice workflows replay`

use clap::{Args, ValueEnum};
use sluice_api::{Invocation, ReplayFrom, ReplayRun, ReplayRuns, ReplayedRuns, ReplayedState};

use super::target::Target;
use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{counted, show, show_json},
    },
};

/// Replay one run, or all failed runs
#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    #[command(flatten)]
    target: Target,
    /// Id of the run
    #[arg(required_unless_present = "failed")]
    run: Option<String>,
    /// Replay all failed runs
    #[arg(long, conflicts_with = "run")]
    failed: bool,
    /// Step to start from
    #[arg(long, value_enum, default_value_t = From::Start)]
    from: From,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum From {
    /// From the first step
    Start,
    /// From the failed step
    Failed,
}

pub(super) async fn replay(options: ReplayOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let path = format!("/workflows/{}/runs", workflow.id);
    let from = Some(match options.from {
        From::Start => ReplayFrom::Start,
        From::Failed => ReplayFrom::Failed,
    });
    if let Some(run) = &options.run {
        let path = format!("{path}/{}/replay", escaped(run));
        let started: Invocation = client.post(&path, &ReplayRun { from }).await?;
        if options.common.json {
            return show_json(&started);
        }
        return Ok(show(&format!("{}\n", started.id))?);
    }
    let body = ReplayRuns {
        from,
        state: Some(ReplayedState::Failed),
        ..ReplayRuns::default()
    };
    let replayed: ReplayedRuns = client.post(&format!("{path}/replay"), &body).await?;
    if options.common.json {
        return show_json(&replayed);
    }
    let count = usize::try_from(replayed.count).unwrap_or(usize::MAX);
    let runs = counted(count, "run");
    Ok(show(&format!("{runs} started\n"))?)
}
