//! `sluice workflows events`

use clap::Args;
use sluice_api::EventSummary;

use super::target::Target;
use crate::commands::{
    common::Common,
    follow::{Format, event_text},
    output::{show, show_json},
    search::{self, SearchOptions},
};

const EXAMPLES: &str = "\
Examples:
  sluice workflows events orders
  sluice workflows events orders --query 'total:>100' --since 1d
  sluice workflows events orders --channel '$errors' -n 100";

/// Print the events that a workflow emitted as JSON, one per line, oldest first
///
/// With --json each event has its id, time and metadata.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EventsOptions {
    #[command(flatten)]
    target: Target,
    /// Number of events, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// Channel of the events, such as `$errors` [default: all channels that do not begin with $]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn events(options: EventsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let workflow = options.target.find(&client).await?;
    let mut parameters = vec![("expand", "event")];
    let channel = options.channel.as_deref();
    parameters.extend(channel.map(|name| ("event_name", name)));
    let path = format!("/workflows/{}/event_summaries", workflow.id);
    let limit = options.limit as usize;
    let mut data: Vec<EventSummary> =
        search::newest(&client, &path, &parameters, &options.search, limit).await?;
    data.reverse();
    if options.common.json {
        return show_json(&data);
    }
    for event in &data {
        show(&event_text(event, Format::Plain))?;
    }
    Ok(())
}
