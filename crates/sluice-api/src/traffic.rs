//! Live traffic of an account, second by second.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, WebhookId};
use utoipa::ToSchema;

/// The traffic of about one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Traffic {
    /// Epoch milliseconds.
    pub ts: i64,
    /// By the id of the source or the workflow.
    #[schema(value_type = BTreeMap<String, EmitterTraffic>)]
    pub emitters: BTreeMap<EmitterId, EmitterTraffic>,
    /// Events sent to listeners.
    pub routes: Vec<RouteTraffic>,
    /// By the id of the webhook.
    #[schema(value_type = BTreeMap<String, WebhookTraffic>)]
    pub webhooks: BTreeMap<WebhookId, WebhookTraffic>,
    /// True when a list has more than 1,000 entries, of which only the largest are included. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cut: Option<bool>,
}

/// The traffic of a source or a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmitterTraffic {
    pub events: u64,
    /// Failed invocations; for workflows, failed runs.
    pub errors: u64,
    pub invocations: u64,
}

/// Events from an emitter to a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RouteTraffic {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub from: EmitterId,
    /// A webhook, a source or a workflow.
    #[schema(example = "wh_abc123")]
    pub to: String,
    pub count: u64,
}

/// The results of delivery attempts to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookTraffic {
    pub delivered: u64,
    pub failed: u64,
}
