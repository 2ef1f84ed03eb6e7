//! Settings of `$.send`: retries, timeouts and the servers for mail and S3.

use std::time::Duration;

use clap::Args;
use sluice_infra::{S3Settings, SendSettings, SmtpSettings};

#[derive(Args)]
#[command(next_help_heading = "Sending from workflows")]
pub(crate) struct SendOptions {
    /// Backoff between the attempts of a send that failed with a retryable error, each with up to 20 % jitter
    #[arg(long, env = "SLUICE_SEND_RETRIES", default_value = "5s,30s", value_delimiter = ',', value_parser = humantime::parse_duration, value_name = "TIMES")]
    send_retries: Vec<Duration>,
    /// Maximum time for the response to `$.send.http`
    #[arg(long, env = "SLUICE_SEND_TIMEOUT", default_value = "5s", value_parser = humantime::parse_duration, value_name = "TIME")]
    send_timeout: Duration,
    /// Maximum concurrent sends of all users
    #[arg(
        long,
        env = "SLUICE_MAX_SENDS",
        default_value_t = 512,
        value_name = "COUNT"
    )]
    max_sends: usize,
    /// Mail server for `$.send.email`, such as `smtps://user:password@mail.example.com` [default: none, mail is disabled]
    #[arg(
        long,
        env = "SLUICE_SMTP_URL",
        hide_env_values = true,
        value_name = "URL",
        requires = "smtp_from"
    )]
    smtp_url: Option<String>,
    /// Sender address of mail, such as `Sluice <sluice@example.com>`
    #[arg(long, env = "SLUICE_SMTP_FROM", value_name = "ADDRESS")]
    smtp_from: Option<String>,
    /// S3-compatible endpoint for `$.send.s3`, such as `https://s3.eu-west-1.amazonaws.com` [default: none, S3 is disabled]
    #[arg(
        long,
        env = "SLUICE_S3_ENDPOINT",
        value_name = "URL",
        requires = "s3_access_key_id",
        requires = "s3_secret_access_key"
    )]
    s3_endpoint: Option<String>,
    /// Region of the S3 endpoint
    #[arg(
        long,
        env = "SLUICE_S3_REGION",
        default_value = "us-east-1",
        value_name = "REGION"
    )]
    s3_region: String,
    /// Access key id for S3
    #[arg(long, env = "SLUICE_S3_ACCESS_KEY_ID", value_name = "KEY")]
    s3_access_key_id: Option<String>,
    /// Secret access key for S3
    #[arg(
        long,
        env = "SLUICE_S3_SECRET_ACCESS_KEY",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    s3_secret_access_key: Option<String>,
}

impl SendOptions {
    pub(super) fn settings(&self) -> SendSettings {
        SendSettings {
            retries: self.send_retries.clone(),
            http_timeout: self.send_timeout,
            max_concurrent: self.max_sends,
            smtp: self.smtp(),
            s3: self.s3(),
        }
    }

    fn smtp(&self) -> Option<SmtpSettings> {
        Some(SmtpSettings {
            url: self.smtp_url.clone()?,
            from: self.smtp_from.clone()?,
        })
    }

    fn s3(&self) -> Option<S3Settings> {
        Some(S3Settings {
            endpoint: self.s3_endpoint.clone()?,
            region: self.s3_region.clone(),
            access_key_id: self.s3_access_key_id.clone()?,
            secret_access_key: self.s3_secret_access_key.clone()?,
        })
    }
}
