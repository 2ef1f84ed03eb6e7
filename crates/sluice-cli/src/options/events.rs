//! Retention of events, logs, runs and deliveries, and the retries of webhooks.

use std::time::Duration;

use clap::Args;

#[derive(Args)]
#[command(next_help_heading = "Events")]
pub(crate) struct EventOptions {
    /// Maximum length of a chain of events from source to source
    #[arg(
        long,
        env = "SLUICE_MAX_EVENT_DEPTH",
        default_value_t = 10,
        value_name = "COUNT"
    )]
    pub(crate) max_event_depth: u32,
    /// Number of events kept per source, unless the source has its own setting
    #[arg(
        long,
        env = "SLUICE_EVENT_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) event_retention: u64,
    /// Maximum age of events, such as 30d [default: no limit by age]
    #[arg(long, env = "SLUICE_EVENT_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) event_max_age: Option<Duration>,
    /// Number of log lines kept per source
    #[arg(
        long,
        env = "SLUICE_LOG_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) log_retention: u64,
    /// Maximum age of log lines, such as 7d [default: no limit by age]
    #[arg(long, env = "SLUICE_LOG_MAX_AGE", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) log_max_age: Option<Duration>,
    /// Number of finished runs kept per workflow. Runs in progress are always kept
    #[arg(
        long,
        env = "SLUICE_RUN_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) run_retention: u64,
    /// Maximum age of the runs of workflows
    #[arg(long, env = "SLUICE_RUN_MAX_AGE", default_value = "30d", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) run_max_age: Duration,
    /// Maximum age of entries of the audit log
    #[arg(long, env = "SLUICE_AUDIT_RETENTION", default_value = "365d", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) audit_retention: Duration,
    /// Maximum concurrent readers of event and log streams
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
    /// Backoff between the attempts of a delivery, each with up to 20 % jitter. After the last one the delivery fails
    #[arg(long, env = "SLUICE_WEBHOOK_RETRIES", default_value = "5s,30s,5m,30m,2h,5h,10h", value_delimiter = ',', value_parser = humantime::parse_duration, value_name = "TIMES")]
    pub(crate) webhook_retries: Vec<Duration>,
    /// Maximum time for the response of a webhook
    #[arg(long, env = "SLUICE_WEBHOOK_TIMEOUT", default_value = "15s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) webhook_timeout: Duration,
    /// Maximum concurrent deliveries to all webhooks
    #[arg(
        long,
        env = "SLUICE_MAX_DELIVERIES",
        default_value_t = 1024,
        value_name = "COUNT"
    )]
    pub(crate) max_deliveries: usize,
    /// Number of finished deliveries kept per webhook
    #[arg(
        long,
        env = "SLUICE_DELIVERY_RETENTION",
        default_value_t = 10_000,
        value_name = "COUNT"
    )]
    pub(crate) delivery_retention: u64,
    /// Maximum age of finished deliveries
    #[arg(long, env = "SLUICE_DELIVERY_MAX_AGE", default_value = "30d", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) delivery_max_age: Duration,
}
