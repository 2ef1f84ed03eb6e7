//! `sluice webhooks deliveries`

use clap::{Args, ValueEnum};
use sluice_api::{Delivery, DeliveryAttempt, DeliveryState};

use super::target::Target;
use crate::commands::{
    common::Common,
    output::{BAD, CHANGED, GOOD, harmless, moment, show_list, styled},
};

/// Show what was delivered to a webhook, newest first
#[derive(Debug, Args)]
pub(crate) struct DeliveriesOptions {
    #[command(flatten)]
    target: Target,
    /// Only deliveries in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// How many, at most 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    /// It is tried, or will be tried again
    Pending,
    /// The receiver has it
    Delivered,
    /// Given up
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
    let header = ["ID", "STATE", "TRIES", "CREATED", "LAST ANSWER"];
    let hint = "No deliveries: `sluice subscribe EMITTER LISTENER` makes some";
    show_list(&page.data, options.common.json, &header, hint, |delivery| {
        let attempts: Vec<DeliveryAttempt> =
            serde_json::from_str(delivery.attempts.get()).unwrap_or_default();
        vec![
            delivery.id.to_string(),
            state(delivery.state),
            attempts.len().to_string(),
            moment(delivery.created_at * 1000),
            attempts.last().map(answer).unwrap_or_default(),
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

fn answer(attempt: &DeliveryAttempt) -> String {
    match (attempt.status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => harmless(error),
        (None, None) => String::new(),
    }
}
