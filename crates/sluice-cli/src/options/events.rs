//! How long events are kept, how far they get, and how they are delivered.

use std::time::Duration;

use clap::Args;

#[derive(Args)]
#[command(next_help_heading = "Events")]
pub(crate) struct EventOptions {
    /// Events that may lead to one another in a row, from source to source, before they are stopped
    #[arg(
        long,
        env = "SLUICE_MAX_EVENT_DEPTH",
        default_value_t = 10,
        value_name = "COUNT"
    )]
    pub(crate) max_event_depth: u32,
    /// Events kept for each source that does not say otherwise
    #[arg(
        long,
        env = "SLUICE_EVENT_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) event_retention: u64,
    /// How long events are kept for each source, such as 30d [default: as long as --event-retention allows]
    #[arg(long, env = "SLUICE_EVENT_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) event_max_age: Option<Duration>,
    /// Log lines kept for each source
    #[arg(
        long,
        env = "SLUICE_LOG_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) log_retention: u64,
    /// How long log lines are kept for each source, such as 7d [default: as long as --log-retention allows]
    #[arg(long, env = "SLUICE_LOG_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) log_max_age: Option<Duration>,
    /// Runs kept for each workflow; those that are not over stay in any case
    #[arg(
        long,
        env = "SLUICE_RUN_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) run_retention: u64,
    /// How long runs of workflows are kept
    #[arg(long, env = "SLUICE_RUN_MAX_AGE", default_value = "30d", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) run_max_age: Duration,
    /// Readers of event and log streams that may be connected at once
    #[arg(
        long,
        env = "SLUICE_MAX_STREAMS",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) max_streams: usize,
}

#[derive(Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct WebhookOptions {
    /// Pauses after which a delivery that failed is tried again, each up to a fifth longer; then it is given up
    #[arg(long, env = "SLUICE_WEBHOOK_RETRIES", default_value = "5s,30s,5m,30m,2h,5h,10h", value_delimiter = ',', value_parser = humantime::parse_duration, value_name = "TIMES")]
    pub(crate) webhook_retries: Vec<Duration>,
    /// Time a webhook may take to answer a delivery
    #[arg(long, env = "SLUICE_WEBHOOK_TIMEOUT", default_value = "15s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) webhook_timeout: Duration,
    /// Deliveries that may be under way at once, to all webhooks together
    #[arg(
        long,
        env = "SLUICE_MAX_DELIVERIES",
        default_value_t = 1024,
        value_name = "COUNT"
    )]
    pub(crate) max_deliveries: usize,
    /// Finished deliveries kept for each webhook
    #[arg(
        long,
        env = "SLUICE_DELIVERY_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) delivery_retention: u64,
    /// How long finished deliveries are kept
    #[arg(long, env = "SLUICE_DELIVERY_MAX_AGE", default_value = "30d", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) delivery_max_age: Duration,
}
