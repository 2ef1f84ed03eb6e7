//! `sluice events`

use clap::Args;
use sluice_api::{EventSummary, List};
use sluice_model::EventId;

use super::target::Target;
use crate::{
    client::{Client, ClientError},
    commands::{
        common::Common,
        follow::{self, BEGINNING, Format, Selection, event_text},
        output::{show, show_json},
        search::{self, SearchOptions},
    },
    exit::interruptible,
};

const EXAMPLES: &str = "\
Examples:
  sluice events orders
  sluice events orders -n 100 | jq .total
  sluice events orders -f
  sluice events orders --query 'total:>100 status:paid' --since 7d
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
    search: SearchOptions,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn events(options: EventsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let channel = options.channel.as_deref();
    let mut parameters = vec![("expand", "event")];
    parameters.extend(channel.map(|name| ("event_name", name)));
    let path = format!("/sources/{}/event_summaries", source.id);
    // Before the search, so that events that come meanwhile are followed.
    let newest = if options.follow {
        newest_id(&client, &path, &parameters).await?
    } else {
        None
    };
    let limit = options.limit as usize;
    let mut data: Vec<EventSummary> =
        search::newest(&client, &path, &parameters, &options.search, limit).await?;
    let after = newest.max(data.first().map(|event| event.id));
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
    let after = after.unwrap_or(BEGINNING);
    let selection = Selection {
        channel,
        query: options.search.query.as_deref(),
    };
    let feed = follow::events(&client, &source.id, selection, Some(after)).await?;
    interruptible(follow::show_events(feed, format)).await
}

async fn newest_id(
    client: &Client,
    path: &str,
    parameters: &[(&str, &str)],
) -> Result<Option<EventId>, ClientError> {
    let newest = [("limit", "1")];
    let query: Vec<(&str, &str)> = parameters.iter().chain(&newest).copied().collect();
    let page: List<EventSummary> = client.page(path, &query).await?;
    Ok(page.data.first().map(|event| event.id))
}
