//! `sluice run`

use clap::Args;
use serde_json::json;
use sluice_api::Invocation;

use super::Target;
use crate::commands::{
    common::Common,
    event::GivenEvent,
    output::{complain, show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice run orders
  sluice run orders --event '{\"body\": {\"total\": 5}}'
  jq -n '{body: now}' | sluice run orders --event -";

/// Run a source now, with an event of your own
///
/// Prints the id of the invocation as soon as it is stored. `sluice events` and `sluice logs` show what it did.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    event: GivenEvent,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn run(options: RunOptions) -> anyhow::Result<()> {
    let event = options.event.read()?;
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/sources/{}/run", source.id);
    let begun: Invocation = client.post(&path, &json!({ "event": event })).await?;
    if options.common.json {
        return show_json(&begun);
    }
    show(&format!("{}\n", begun.id))?;
    let slug = &source.name_slug;
    Ok(complain(&format!(
        "{slug} runs: `sluice events {slug}` and `sluice logs {slug}` show what it does\n"
    ))?)
}
