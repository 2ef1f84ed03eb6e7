//! Deliveries of events to webhooks, and their replay.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sluice_model::{DeliveryId, EmitterId, EventId, WebhookId};
use utoipa::{IntoParams, ToSchema};

/// The delivery of one event to one webhook.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// The value of the `webhook-id` header, the same on every attempt.
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
    /// The summary of the event, else the beginning of its data.
    #[schema(example = "Order A-1 was paid")]
    pub summary: String,
    pub state: DeliveryState,
    /// Oldest first.
    #[schema(value_type = Vec<DeliveryAttempt>)]
    pub attempts: Box<RawValue>,
    /// Epoch milliseconds; null when there is no further attempt.
    #[schema(required = true)]
    pub next_attempt_at: Option<i64>,
    /// Epoch seconds.
    pub created_at: i64,
    /// The event. Absent in lists unless `expand=event` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Value>)]
    pub event: Option<Box<RawValue>>,
    /// The attempt that this request made. Only in responses to a replay or retry of one delivery, and absent when the server
    /// had to queue it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attempt: Option<DeliveryAttempt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// Not delivered yet. The next attempt is at `next_attempt_at`.
    Pending,
    Delivered,
    /// Not delivered after the last attempt. It can be replayed.
    Failed,
}

/// One attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryAttempt {
    /// Epoch milliseconds.
    pub at: i64,
    /// The status of the response; null when there was none.
    #[schema(required = true)]
    pub status: Option<u16>,
    pub latency_ms: u64,
    /// The beginning of the body of the response.
    #[schema(required = true)]
    pub response: Option<String>,
    /// The error; null when the attempt succeeded.
    #[schema(required = true)]
    pub error: Option<String>,
}

/// Which deliveries to show, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// Default: all.
    #[param(inline)]
    pub state: Option<DeliveryState>,
    /// Only deliveries created at this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only deliveries created at this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
    /// `event` adds the event to each delivery.
    pub expand: Option<String>,
}

/// The webhook whose deliveries to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfWebhookQuery {
    /// Only deliveries to this webhook.
    pub webhook_id: Option<String>,
}

/// Which deliveries to replay. Default: failed ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "state": "failed", "since": "2026-01-31T00:00:00Z" }))]
pub struct ReplayDeliveries {
    pub state: Option<ReplayState>,
    /// Only deliveries created at this time or later: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub since: Option<String>,
    /// Only deliveries created at this time or earlier: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub until: Option<String>,
}

/// The states of deliveries that can be replayed by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayState {
    Failed,
    Delivered,
    /// Delivered and failed ones.
    All,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayedDeliveries {
    /// The number of deliveries that are pending again.
    pub replayed: u64,
}
