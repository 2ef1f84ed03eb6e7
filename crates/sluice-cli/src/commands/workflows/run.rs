//! `sluice workflows run`

use std::{process::ExitCode, time::Duration};

use clap::Args;
use serde_json::json;
use sluice_api::{Invocation, Run};
use sluice_model::workflow::PauseKind;

use super::{run_text::run_text, target::Target};
use crate::{
    client::{Client, ClientError},
    commands::{
        common::Common,
        event::GivenEvent,
        output::{show, show_json},
    },
};

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Run a workflow now
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    event: GivenEvent,
    /// Wait until it has ended or waits for somebody, and show what it did; a run that fails exits with 1
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let event = options.event.read()?;
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let path = format!("/workflows/{}", workflow.id);
    let body = json!({ "event": event });
    let begun: Invocation = client.post(&format!("{path}/run"), &body).await?;
    if !options.wait {
        if options.common.json {
            show_json(&begun)?;
        } else {
            show(&format!("{}\n", begun.id))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let run = settled(&client, &format!("{path}/runs/{}", begun.id)).await?;
    if options.common.json {
        show_json(&run)?;
    } else {
        show(&run_text(&run))?;
    }
    let is_good = run.finished_at_ms.is_none() || run.state == "succeeded";
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Waits until a run is over, or until only somebody else can make it go on.
async fn settled(client: &Client, path: &str) -> Result<Run, ClientError> {
    let mut pause = FIRST_PAUSE;
    loop {
        // One that waits for its turn is not there yet.
        if let Some(run) = client.find::<Run>(path).await? {
            let waits = run.waits_for.as_ref();
            let is_suspended = waits.is_some_and(|waits| waits.kind == PauseKind::Suspend);
            if run.finished_at_ms.is_some() || is_suspended {
                return Ok(run);
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
