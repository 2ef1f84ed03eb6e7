//! `sluice logs`

use clap::Args;
use sluice_api::{List, LogLine};
use sluice_model::EventId;

use super::target::Target;
use crate::{
    client::{Client, ClientError},
    commands::{
        common::Common,
        follow::{self, BEGINNING, Format, line_text},
        output::{show, show_json},
        search::{self, SearchOptions},
    },
    exit::interruptible,
};

const EXAMPLES: &str = "\
Examples:
  sluice logs orders
  sluice logs orders -f
  sluice logs orders --query 'level:error timeout' --since 1d
  sluice logs orders -n 100 --json | jq -r '.[] | select(.level == \"error\").msg'";

/// Print the log of a source, oldest first
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LogsOptions {
    #[command(flatten)]
    target: Target,
    /// Number of lines, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    limit: u32,
    /// Follow new lines
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    common: Common,
}

pub(crate) async fn logs(options: LogsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let path = format!("/sources/{}/logs", source.id);
    // Before the search, so that lines that come meanwhile are followed.
    let newest = if options.follow {
        newest_position(&client, &path).await?
    } else {
        None
    };
    let limit = options.limit as usize;
    let mut data: Vec<LogLine> =
        search::newest(&client, &path, &[], &options.search, limit).await?;
    let first = data.first().and_then(follow::position_of);
    let after = newest.into_iter().chain(first).max_by_key(|id| id.seq);
    data.reverse();
    if options.common.json && !options.follow {
        return show_json(&data);
    }
    let format = if options.common.json {
        Format::Json
    } else {
        Format::Plain
    };
    for line in &data {
        show(&line_text(line, format))?;
    }
    if !options.follow {
        return Ok(());
    }
    let after = after.unwrap_or(BEGINNING);
    let query = options.search.query.as_deref();
    let feed = follow::lines(&client, &source.id, query, Some(after)).await?;
    interruptible(follow::show_lines(feed, format)).await
}

async fn newest_position(client: &Client, path: &str) -> Result<Option<EventId>, ClientError> {
    let page: List<LogLine> = client.page(path, &[("limit", "1")]).await?;
    Ok(page.data.first().and_then(follow::position_of))
}
