//! Deliveries of events to webhooks, and replaying them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sluice_model::{DeliveryId, EmitterId, EventId, WebhookId};
use utoipa::{IntoParams, ToSchema};

/// The delivery of one event to one webhook.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// What the receiver sees as `webhook-id`, the same on every attempt.
    #[schema(value_type = String)]
    pub id: DeliveryId,
    #[schema(value_type = String, example = "wh_abc123")]
    pub webhook_id: WebhookId,
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub emitter_id: EmitterId,
    #[schema(value_type = String, example = "1606370816223-0")]
    pub event_id: EventId,
    /// The channel; empty for the default one.
    pub event_name: String,
    pub state: DeliveryState,
    /// Oldest first.
    #[schema(value_type = Vec<DeliveryAttempt>)]
    pub attempts: Box<RawValue>,
    /// Epoch milliseconds; null when it is over.
    pub next_attempt_at: Option<i64>,
    /// Epoch seconds.
    pub created_at: i64,
    /// What is delivered. Absent in lists, unless `expand=event` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub event: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It is tried, at `next_attempt_at` again.
    Pending,
    Delivered,
    /// Given up; it can be replayed.
    Failed,
}

/// One try of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryAttempt {
    /// Epoch milliseconds.
    pub at: i64,
    /// The status of the answer; null when there was none.
    pub status: Option<u16>,
    pub latency_ms: u64,
    /// The beginning of the answer's body.
    pub response: Option<String>,
    /// Why it failed; null when it did not.
    pub error: Option<String>,
}

/// Which deliveries to show, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// Left out: all.
    #[param(inline)]
    pub state: Option<DeliveryState>,
    /// Only those made at this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only those made at this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
    /// `event` returns the event with each delivery.
    pub expand: Option<String>,
}

/// Whose deliveries to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfWebhookQuery {
    /// Only those to this webhook.
    pub webhook_id: Option<String>,
}

/// Which deliveries to replay: those that failed, unless `state` says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReplayDeliveries {
    pub state: Option<ReplayState>,
    /// Only those made at this time or later: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub since: Option<String>,
    /// Only those made at this time or earlier: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub until: Option<String>,
}

/// Which deliveries a replay is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayState {
    Failed,
    Delivered,
    /// Everything that is over.
    All,
}

/// What a replay began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedDeliveries {
    /// How many deliveries are due again.
    pub replayed: u64,
}
