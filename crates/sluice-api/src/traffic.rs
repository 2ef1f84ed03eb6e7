//! What is happening in an account, second by second.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, WebhookId};
use utoipa::ToSchema;

/// What happened in about a second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Traffic {
    /// Epoch milliseconds.
    pub ts: i64,
    /// By the id of the source or the workflow.
    #[schema(value_type = BTreeMap<String, EmitterTraffic>)]
    pub emitters: BTreeMap<EmitterId, EmitterTraffic>,
    /// Events that went to those who listen.
    pub routes: Vec<RouteTraffic>,
    /// By the id of the webhook.
    #[schema(value_type = BTreeMap<String, WebhookTraffic>)]
    pub webhooks: BTreeMap<WebhookId, WebhookTraffic>,
    /// Present, and true, when there were more than 1,000 of something: then only the largest are here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<bool>,
}

/// What a source or a workflow did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmitterTraffic {
    pub events: u64,
    /// Invocations that failed; for workflows, runs.
    pub errors: u64,
    pub invocations: u64,
}

/// Events on their way from an emitter to a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RouteTraffic {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub from: EmitterId,
    /// A webhook, a source or a workflow.
    #[schema(example = "wh_abc123")]
    pub to: String,
    pub count: u64,
}

/// What became of tries to deliver to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookTraffic {
    pub delivered: u64,
    pub failed: u64,
}
