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
        event_arg::EventArg,
        output::{show, show_json},
        sample_event,
    },
};

const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(2);

/// Run a workflow now
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    event: EventArg,
    /// Wait until the run finishes or is suspended, and show its result. The exit code of a failed run is 1
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let event = options.event.read()?;
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let event = match event {
        Some(event) => event,
        None => sample_event::for_workflow(&client, &workflow).await?,
    };
    let path = format!("/workflows/{}", workflow.id);
    let body = json!({ "event": event });
    let started: Invocation = client.post(&format!("{path}/run"), &body).await?;
    if !options.wait {
        if options.common.json {
            show_json(&started)?;
        } else {
            show(&format!("{}\n", started.id))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let run = settled(&client, &format!("{path}/runs/{}", started.id)).await?;
    if options.common.json {
        show_json(&run)?;
    } else {
        show(&run_text(&run))?;
    }
    let is_success = run.finished_at_ms.is_none() || run.state == "succeeded";
    Ok(if is_success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Waits until a run is finished or suspended.
async fn settled(client: &Client, path: &str) -> Result<Run, ClientError> {
    let mut backoff = MIN_BACKOFF;
    loop {
        // A queued run does not exist yet.
        if let Some(run) = client.find::<Run>(path).await? {
            let waits = run.waits_for.as_ref();
            let is_suspended = waits.is_some_and(|waits| waits.kind == PauseKind::Suspend);
            if run.finished_at_ms.is_some() || is_suspended {
                return Ok(run);
            }
        }
        tokio::time::sleep(backoff).await;
        backoff = (backoff * 2).min(MAX_BACKOFF);
    }
}
