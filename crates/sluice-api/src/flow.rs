//! The map of an account: its emitters, listeners and subscriptions.

use serde::{Deserialize, Serialize};
use sluice_model::SubscriptionId;
use utoipa::{IntoParams, ToSchema};

use crate::webhooks::WebhookHealth;

/// Emitters and listeners, and the subscriptions between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Flow {
    /// Connected nodes first, then the nodes with most events.
    pub nodes: Vec<FlowNode>,
    /// The subscriptions between these nodes.
    pub edges: Vec<FlowEdge>,
    /// The number of nodes beyond the limit.
    pub hidden: u64,
}

/// A source, a workflow, a webhook or a glob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FlowNode {
    /// `dc_*`, `p_*` or `*` for a glob.
    #[schema(example = "dc_K0uAee")]
    pub id: String,
    pub kind: FlowNodeKind,
    /// For a webhook without a name, its URL.
    pub name: String,
    /// Null for webhooks and globs.
    #[schema(required = true)]
    pub name_slug: Option<String>,
    pub active: bool,
    /// Of a source: the slug of the app of its component. Absent without one, and for other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "github")]
    pub app: Option<String>,
    /// Events emitted in the last 24 hours; 0 for webhooks.
    pub events: u64,
    /// Errors in the last 24 hours; for webhooks, failed deliveries.
    pub errors: u64,
    /// Pending deliveries of a webhook; 0 for other nodes.
    pub waiting: u64,
    /// Null for other nodes than webhooks.
    #[schema(required = true)]
    pub health: Option<WebhookHealth>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlowNodeKind {
    Source,
    Workflow,
    Webhook,
    /// A glob: all sources, all workflows, or every source and workflow that is created from now on.
    Every,
}

/// A subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FlowEdge {
    #[schema(value_type = String, example = "sub_abc123")]
    pub subscription_id: SubscriptionId,
    pub from: String,
    pub to: String,
    /// As sent by the client; empty when it was absent.
    pub event_name: String,
}

/// Which part of the map to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FlowQuery {
    /// Part of a name or a slug; case-insensitive for ASCII letters. Matches are shown with their direct neighbours.
    pub q: Option<String>,
    /// The maximum number of nodes. More than 1000 counts as 1000.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 300)]
    pub limit: Option<String>,
}
