//! `sluice run`

use clap::Args;
use serde_json::json;
use sluice_api::Invocation;

use super::target::Target;
use crate::commands::{
    common::Common,
    event_arg::EventArg,
    output::{show, show_json, show_stderr},
    sample_event,
};

const EXAMPLES: &str = "\
Examples:
  sluice run orders
  sluice run orders --event '{\"body\": {\"total\": 5}}'
  sluice run orders --sample
  jq -n '{body: now}' | sluice run orders --event -";

/// Run a source now, with a given event
///
/// The command prints the id of the invocation as soon as it is stored. `sluice events` and `sluice logs` show its results.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    event: EventArg,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn run(options: RunOptions) -> anyhow::Result<()> {
    let event = options.event.read()?;
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let event = match event {
        Some(event) => event,
        None => sample_event::for_source(&client, &source).await?,
    };
    let path = format!("/sources/{}/run", source.id);
    let started: Invocation = client.post(&path, &json!({ "event": event })).await?;
    if options.common.json {
        return show_json(&started);
    }
    show(&format!("{}\n", started.id))?;
    let slug = &source.name_slug;
    Ok(show_stderr(&format!(
        "{slug} started: see `sluice events {slug}` and `sluice logs {slug}` for its results\n"
    ))?)
}
