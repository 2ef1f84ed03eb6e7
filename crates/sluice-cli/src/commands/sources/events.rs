//! `sluice events`

use clap::Args;
use sluice_api::{EventSummary, List};

use super::Target;
use crate::{
    commands::{
        common::Common,
        follow::{self, BEGINNING, Form, event_text},
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

/// Print the events that a source has emitted, one to a line as JSON, oldest first
///
/// With --json each comes with its id, its time and its metadata.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EventsOptions {
    #[command(flatten)]
    target: Target,
    /// How many, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    limit: u32,
    /// Go on with those that are emitted from now on
    #[arg(long, short)]
    follow: bool,
    /// A channel, such as `$errors` [default: all but those that begin with $]
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
    let form = if options.common.json {
        Form::Json
    } else {
        Form::Plain
    };
    for event in &data {
        show(&event_text(event, form))?;
    }
    if !options.follow {
        return Ok(());
    }
    let after = newest.unwrap_or(BEGINNING);
    let feed = follow::events(&client, &source.id, channel, Some(after)).await?;
    interruptible(follow::show_events(feed, form)).await
}
