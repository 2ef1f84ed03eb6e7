//! `sluice logs`

use clap::Args;
use sluice_api::{List, LogLine};

use super::target::Target;
use crate::{
    commands::{
        common::Common,
        follow::{self, BEGINNING, Format, line_text},
        output::{show, show_json},
    },
    exit::interruptible,
};

const EXAMPLES: &str = "\
Examples:
  sluice logs orders
  sluice logs orders -f
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
    common: Common,
}

pub(crate) async fn logs(options: LogsOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let source = options.target.find(&client).await?;
    let limit = options.limit.max(1).to_string();
    let path = format!("/sources/{}/logs", source.id);
    let query = [("limit", limit.as_str())];
    let List { mut data, .. } = client.page::<LogLine>(&path, &query).await?;
    let newest = data.first().and_then(follow::position_of);
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
    for line in &data {
        show(&line_text(line, format))?;
    }
    if !options.follow {
        return Ok(());
    }
    let after = newest.unwrap_or(BEGINNING);
    let feed = follow::lines(&client, &source.id, Some(after)).await?;
    interruptible(follow::show_lines(feed, format)).await
}
