//! `sluice webhooks replay`

use clap::{Args, ValueEnum};
use sluice_api::{ReplayDeliveries, ReplayState, ReplayedDeliveries};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{show, show_json},
};

const EXAMPLES: &str = "\
Examples:
  sluice webhooks replay ops
  sluice webhooks replay ops --state all --since 2026-01-31T09:00:00Z";

/// Send failed deliveries of a webhook again
///
/// With the same ids, and as many retries as new deliveries. `sluice webhooks retry --delivery ID` sends one delivery.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ReplayOptions {
    #[command(flatten)]
    target: Target,
    /// State of the deliveries
    #[arg(long, value_enum, default_value_t = State::Failed)]
    state: State,
    /// Only deliveries created at this time or later: ISO 8601 or epoch milliseconds
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only deliveries created at this time or earlier
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    /// Failed after the last retry
    Failed,
    /// Accepted by the receiver
    Delivered,
    /// Both
    All,
}

pub(super) async fn replay(options: ReplayOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let id = options.target.find(&client).await?.id;
    let body = ReplayDeliveries {
        state: Some(match options.state {
            State::Failed => ReplayState::Failed,
            State::Delivered => ReplayState::Delivered,
            State::All => ReplayState::All,
        }),
        since: options.since,
        until: options.until,
    };
    let path = format!("/webhooks/{id}/replay");
    let replayed: ReplayedDeliveries = client.post(&path, &body).await?;
    if options.common.json {
        return show_json(&replayed);
    }
    let noun = if replayed.replayed == 1 {
        "delivery"
    } else {
        "deliveries"
    };
    Ok(show(&format!("{} {noun} queued\n", replayed.replayed))?)
}
