//! Emitted events, as lists of summaries show them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sluice_model::{EmitterId, EventId};
use utoipa::ToSchema;

/// An emitted event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventSummary {
    #[schema(value_type = String, example = "1606370816223-0")]
    pub id: EventId,
    /// Epoch milliseconds.
    pub indexed_at_ms: i64,
    /// The emitted value. A `TruncatedEvent` if it is over 1 KB, unless `expand=event` is set.
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    pub metadata: EventMetadata,
}

/// An emitted event in the format for older clients.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OlderEvent {
    #[schema(value_type = String, example = "1606370816223-0")]
    pub id: EventId,
    /// Always `emit`.
    pub k: String,
    /// Epoch milliseconds.
    pub ts: i64,
    /// The complete emitted value.
    #[schema(value_type = Value)]
    pub e: Box<RawValue>,
    pub metadata: EventMetadata,
}

/// The metadata of an event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventMetadata {
    pub emit_id: String,
    /// The channel; empty for the default one.
    pub name: String,
    #[schema(value_type = String)]
    pub emitter_id: EmitterId,
    /// The `id` of the emit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub id: Option<String>,
    /// The `summary` of the emit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Value>)]
    pub summary: Option<Box<RawValue>>,
    /// The `ts` of the emit: epoch milliseconds if it is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Value>)]
    pub ts: Option<Box<RawValue>>,
    /// The `delivery_ts` of the emit: the scheduled time of delivery, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub delivery_ts: Option<i64>,
}

/// Body of `POST /sources/{id}/events/replay`: one event, or a range. An empty body selects all events in the default and
/// custom channels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event_id": "1606370816223-0" }))]
pub struct ReplayEvents {
    /// The id of one event to replay.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub event_id: Option<String>,
    /// The oldest event.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub start_id: Option<String>,
    /// The newest event.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub end_id: Option<String>,
    /// Only events of this time or later: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub since: Option<String>,
    /// Only events of this time or earlier: epoch milliseconds or ISO 8601.
    #[serde(default, deserialize_with = "crate::text::text_or_number")]
    pub until: Option<String>,
    /// A channel other than `$logs`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub event_name: Option<String>,
}

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Replayed {
    /// The number of replayed events.
    pub events: u64,
}

/// Stands for an event that is too large for a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TruncatedEvent {
    /// Always true.
    #[serde(rename = "$truncated")]
    pub truncated: bool,
    /// Size of the whole event, in bytes of JSON.
    pub size: usize,
    /// The beginning of the event's JSON text.
    pub preview: String,
}
