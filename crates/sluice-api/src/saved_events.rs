//! Events for runs by hand.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// An event that was saved by name, to run a source or workflow with it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SavedEvent {
    #[schema(example = "Paid order")]
    pub name: String,
    #[schema(value_type = Value)]
    pub event: Box<RawValue>,
    /// Epoch seconds.
    pub updated_at: i64,
}

/// Body of `PUT /sources/{id}/saved_events/{name}` and of `PUT /workflows/{id}/saved_events/{name}`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": { "body": { "order": "A-1" } } }))]
pub struct SaveEvent {
    /// Up to 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value, required = true)]
    pub event: Option<Box<RawValue>>,
}

/// The last HTTP request of a source. Empty when there was none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct LastRequest {
    /// As the component got it, with all headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Value>)]
    pub event: Option<Box<RawValue>>,
    /// When it was handled, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub at: Option<i64>,
}
