//! The map of an account: who emits to whom.

use serde::{Deserialize, Serialize};
use sluice_model::SubscriptionId;
use utoipa::{IntoParams, ToSchema};

/// Everything that emits or listens, and how it is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Flow {
    /// Those that are connected first, then the busiest.
    pub nodes: Vec<FlowNode>,
    /// Between these nodes.
    pub edges: Vec<FlowEdge>,
    /// How many nodes there was no room for.
    pub hidden: u64,
}

/// A source, a workflow, a webhook, or what a glob stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FlowNode {
    /// `dc_*`, `p_*` or `*` for a glob.
    #[schema(example = "dc_K0uAee")]
    pub id: String,
    pub kind: FlowNodeKind,
    /// For a webhook without a name, its address.
    pub name: String,
    /// Null for webhooks and globs.
    pub name_slug: Option<String>,
    pub active: bool,
    /// Emitted in the last 24 hours; 0 for webhooks.
    pub events: u64,
    /// Of the last 24 hours; for webhooks, deliveries that failed.
    pub errors: u64,
    /// Deliveries that are not over; 0 for what is no webhook.
    pub waiting: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlowNodeKind {
    Source,
    Workflow,
    Webhook,
    /// A glob: every source, every workflow, or all that is created from now on.
    Every,
}

/// A subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FlowEdge {
    #[schema(value_type = String, example = "sub_abc123")]
    pub subscription_id: SubscriptionId,
    pub from: String,
    pub to: String,
    /// As it was given; empty when it was left out.
    pub event_name: String,
}

/// Which part of the map to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FlowQuery {
    /// Part of a name or a slug; ASCII letters match in either case. What matches is shown, with its direct neighbours.
    pub q: Option<String>,
    /// How many nodes to show at most; more than 1000 counts as 1000.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000, default = 300)]
    pub limit: Option<String>,
}
