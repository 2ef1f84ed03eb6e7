//! `sluice webhooks retry`

use anyhow::bail;
use clap::Args;
use serde_json::json;
use sluice_api::{Delivery, DeliveryAttempt, DeliveryState};

use super::target::Target;
use crate::{
    client::escaped,
    commands::{
        common::Common,
        output::{local_time, sanitized, show, show_json, show_stderr},
    },
};

/// Send the next delivery of a webhook now, and show the result
///
/// Sends also while the webhook is paused. When it succeeds, all pending deliveries are sent. When it fails, the delivery is
/// retried as usual, and the exit status is 1.
#[derive(Debug, Args)]
pub(crate) struct RetryOptions {
    #[command(flatten)]
    target: Target,
    /// Send this delivery of the webhook, pending or not
    #[arg(long, value_name = "ID")]
    delivery: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn retry(options: RetryOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let webhook = options.target.find(&client).await?;
    let path = match &options.delivery {
        Some(id) => {
            let path = format!("/deliveries/{}", escaped(id));
            let delivery: Delivery = client.get(&path).await?;
            if delivery.webhook_id != webhook.id {
                bail!("the delivery {id} is not to the webhook {}", webhook.id);
            }
            format!("{path}/replay")
        }
        None => format!("/webhooks/{}/retry", webhook.id),
    };
    let delivery: Delivery = client.post(&path, &json!({})).await?;
    if options.common.json {
        show_json(&delivery)?;
    } else {
        show_result(&delivery)?;
    }
    match &delivery.attempt {
        Some(attempt) if attempt.error.is_some() => bail!("the attempt failed"),
        _ => Ok(()),
    }
}

fn show_result(delivery: &Delivery) -> anyhow::Result<()> {
    let Some(attempt) = &delivery.attempt else {
        return Ok(show_stderr(&format!(
            "{} is queued: the server makes many such attempts now\n",
            delivery.id
        ))?);
    };
    show(&format!("{}: {}\n", delivery.id, result(attempt)))?;
    match (delivery.state, delivery.next_attempt_at) {
        (DeliveryState::Pending, Some(at)) => {
            Ok(show_stderr(&format!("Next attempt: {}\n", local_time(at)))?)
        }
        _ => Ok(()),
    }
}

fn result(attempt: &DeliveryAttempt) -> String {
    let took = attempt.latency_ms;
    match (attempt.status, &attempt.error) {
        (Some(status), None) => format!("delivered, {status} in {took} ms"),
        (_, Some(error)) => format!("failed, {} ({took} ms)", sanitized(error)),
        (None, None) => format!("delivered in {took} ms"),
    }
}
