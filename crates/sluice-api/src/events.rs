//! Events that a source emitted, as the summary lists show them.

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
    /// The emitted value; over 1 KB a `TruncatedEvent`, unless `expand=event` is given.
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    pub metadata: EventMetadata,
}

/// An emitted event as older clients read it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OlderEvent {
    #[schema(value_type = String, example = "1606370816223-0")]
    pub id: EventId,
    /// Always `emit`.
    pub k: String,
    /// Epoch milliseconds.
    pub ts: i64,
    /// The emitted value, whole.
    #[schema(value_type = Value)]
    pub e: Box<RawValue>,
    pub metadata: EventMetadata,
}

/// What is known of an event beside its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventMetadata {
    pub emit_id: String,
    /// The channel; empty for the default one.
    pub name: String,
    #[schema(value_type = String)]
    pub emitter_id: EmitterId,
    /// The `id` given with the emit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The `summary` given with the emit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub summary: Option<Box<RawValue>>,
    /// The `ts` given with the emit: epoch milliseconds when it was a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub ts: Option<Box<RawValue>>,
    /// The `delivery_ts` given with the emit: when the event is or was to be delivered, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_ts: Option<i64>,
}

/// Body of `POST /sources/{id}/events/replay`: one event, or those of a range; nothing at all is everything in the default and
/// custom channels.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReplayEvents {
    /// The one event to send again.
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
    /// A channel, but not `$logs`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub event_name: Option<String>,
}

/// What a replay did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Replayed {
    /// How many events were sent again.
    pub events: u64,
}

/// Stands for an event that is too large for a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TruncatedEvent {
    /// Always true: marks the preview as one.
    #[serde(rename = "$truncated")]
    pub truncated: bool,
    /// Size of the whole event, in bytes of JSON.
    pub size: usize,
    /// The beginning of the event's JSON text.
    pub preview: String,
}
