//! `sluice webhooks deliveries`

use clap::{Args, ValueEnum};
use sluice_api::{Delivery, DeliveryAttempt, DeliveryState};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{BAD, CHANGED, GOOD, local_time, sanitized, show_list, styled},
};

/// List the deliveries of a webhook, newest first
#[derive(Debug, Args)]
pub(crate) struct DeliveriesOptions {
    #[command(flatten)]
    target: Target,
    /// Show only deliveries in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// Number of deliveries, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    /// In progress, or waiting for a retry
    Pending,
    /// Accepted by the receiver
    Delivered,
    /// Failed after the last retry
    Failed,
}

pub(super) async fn deliveries(options: DeliveriesOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let webhook = options.target.find(&client).await?;
    let limit = options.limit.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(options.state.map(|state| match state {
        State::Pending => ("state", "pending"),
        State::Delivered => ("state", "delivered"),
        State::Failed => ("state", "failed"),
    }));
    let path = format!("/webhooks/{}/deliveries", webhook.id);
    let page = client.page::<Delivery>(&path, &query).await?;
    let header = ["ID", "STATE", "ATTEMPTS", "CREATED", "LAST RESPONSE"];
    let hint = "No deliveries: subscribe the webhook with `sluice subscribe EMITTER LISTENER`";
    show_list(&page.data, options.common.json, &header, hint, |delivery| {
        let attempts: Vec<DeliveryAttempt> =
            serde_json::from_str(delivery.attempts.get()).unwrap_or_default();
        vec![
            delivery.id.to_string(),
            state(delivery.state),
            attempts.len().to_string(),
            local_time(delivery.created_at * 1000),
            attempts.last().map(response).unwrap_or_default(),
        ]
    })
}

fn state(state: DeliveryState) -> String {
    match state {
        DeliveryState::Pending => styled(CHANGED, "pending"),
        DeliveryState::Delivered => styled(GOOD, "delivered"),
        DeliveryState::Failed => styled(BAD, "failed"),
    }
}

fn response(attempt: &DeliveryAttempt) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => sanitized(error),
        (None, None) => String::new(),
    }
}
