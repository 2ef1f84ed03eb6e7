//! `sluice events`

use clap::Args;
use sluice_api::{EventSummary, List};

use super::target::Target;
use crate::{
    commands::{
        common::Common,
        follow::{self, BEGINNING, Format, event_text},
        output::{show, show_json},
    },
    exit::interruptible,
};

const EXAMPLES: &str = "\
Examples:
  sluice events orders
  sluice events orders -n 100 | jq .total
  sluice events orders -f
  sluice events orders --channel '$errors'";

/// Print the events of a source as JSON, one per line, oldest first
///
/// With --json each event has its id, time and metadata.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EventsOptions {
    #[command(flatten)]
    target: Target,
    /// Number of events, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    limit: u32,
    /// Follow new events
    #[arg(long, short)]
    follow: bool,
    /// Channel of the events, such as `$errors` [default: all channels that do not begin with $]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn events(options: EventsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let channel = options.channel.as_deref();
    let limit = options.limit.max(1).to_string();
    let mut query = vec![("limit", limit.as_str()), ("expand", "event")];
    query.extend(channel.map(|name| ("event_name", name)));
    let path = format!("/sources/{}/event_summaries", source.id);
    let List { mut data, .. } = client.page::<EventSummary>(&path, &query).await?;
    let newest = data.first().map(|event| event.id);
    data.truncate(options.limit as usize);
    data.reverse();
    if options.common.json && !options.follow {
        return show_json(&data);
    }
    let format = if options.common.json {
        Format::Json
    } else {
        Format::Plain
    };
    for event in &data {
        show(&event_text(event, format))?;
    }
    if !options.follow {
        return Ok(());
    }
    let after = newest.unwrap_or(BEGINNING);
    let feed = follow::events(&client, &source.id, channel, Some(after)).await?;
    interruptible(follow::show_events(feed, format)).await
}
