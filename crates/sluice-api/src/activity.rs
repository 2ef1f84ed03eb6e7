//! Activity over time, and the overview of an account. Times are epoch milliseconds.

use serde::{Deserialize, Serialize};
use sluice_model::{EmitterId, WebhookId};
use utoipa::{IntoParams, ToSchema};

use crate::webhooks::WebhookHealth;

/// Counts by hours or days in UTC, oldest first. The last hour or day is not over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// The start of the first hour or day.
    pub start_ms: i64,
    /// The length of an hour or a day, in milliseconds.
    pub step_ms: i64,
    /// Events on the default channel and custom channels.
    pub events: Vec<u64>,
    /// Failed invocations; for workflows, failed runs.
    pub errors: Vec<u64>,
    /// Invocations, including hooks; for workflows, started runs.
    pub invocations: Vec<u64>,
    pub compute_ms: Vec<u64>,
}

/// The activity of a source or a workflow in the last 24 hours, by hours, oldest first. The last hour is not over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmitterActivity {
    /// When it last emitted an event; null when it never did.
    #[schema(required = true)]
    pub last_event_at: Option<i64>,
    #[schema(min_items = 24, max_items = 24)]
    pub events: Vec<u64>,
    #[schema(min_items = 24, max_items = 24)]
    pub errors: Vec<u64>,
    #[schema(min_items = 24, max_items = 24)]
    pub invocations: Vec<u64>,
}

/// Which activity to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActivityQuery {
    /// The number of hours, including the current one.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 744, default = 24)]
    pub hours: Option<String>,
    /// Default: `hour`.
    #[param(inline)]
    pub step: Option<ActivityStep>,
    /// The id of a source or a workflow. Default: the whole account, including deleted sources and workflows.
    pub emitter_id: Option<String>,
}

/// The time span of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityStep {
    #[default]
    Hour,
    /// From midnight to midnight in UTC. The number of days covers the number of hours.
    Day,
}

/// Which sources or workflows to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EmittersQuery {
    /// Part of the name or the slug, case-insensitive.
    pub q: Option<String>,
    /// Default: all.
    #[param(inline)]
    pub state: Option<EmitterState>,
}

/// The status of a source or a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmitterState {
    Active,
    Inactive,
    /// It had an error in the last 24 hours, whether it is active or not.
    Failing,
}

/// Additional data of sources or workflows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExpandEmittersQuery {
    /// `activity` adds the activity of the last 24 hours.
    pub expand: Option<String>,
}

/// The overview of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// In the last 24 hours.
    pub activity: Activity,
    pub sources: Tally,
    pub workflows: Tally,
    /// The 5 with most events in the last 24 hours.
    #[schema(max_items = 5)]
    pub busiest: Vec<ActiveEmitter>,
    /// The 5 with most errors in the last 24 hours.
    #[schema(max_items = 5)]
    pub failing: Vec<ActiveEmitter>,
    pub deliveries: DeliveryTally,
    pub webhooks: WebhookTally,
    /// The 5 webhooks that have failed longest.
    #[schema(max_items = 5)]
    pub failing_webhooks: Vec<FailingWebhook>,
    /// Null unless the user is an operator.
    #[schema(required = true)]
    pub server: Option<ServerTally>,
}

/// Numbers of sources or workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    pub total: u64,
    pub active: u64,
    /// Those with an error in the last 24 hours.
    pub failing: u64,
}

/// Numbers of active webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookTally {
    pub active: u64,
    /// Those whose last attempt failed, including the paused ones.
    pub failing: u64,
    /// Those that get nothing before a probe.
    pub paused: u64,
}

/// A webhook whose last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FailingWebhook {
    #[schema(value_type = String, example = "wh_abc123")]
    pub id: WebhookId,
    /// For a webhook without a name, its URL.
    pub name: String,
    pub health: WebhookHealth,
}

/// A source or a workflow with its activity in the last 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActiveEmitter {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub id: EmitterId,
    pub kind: EmitterKind,
    pub name: String,
    pub name_slug: String,
    pub events: u64,
    pub errors: u64,
    /// Null when it never emitted an event.
    #[schema(required = true)]
    pub last_event_at: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmitterKind {
    Source,
    Workflow,
}

/// Deliveries to webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryTally {
    /// Pending deliveries.
    pub waiting: u64,
    /// Failed deliveries.
    pub failed: u64,
}

/// The current resource usage of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerTally {
    /// Component processes.
    pub processes: u64,
    pub processes_memory_bytes: u64,
    /// Memory of the server process, in bytes.
    pub memory_bytes: u64,
    /// Size of the database, in bytes.
    pub storage_bytes: u64,
    /// Free space of the file system of the data folder; null when the database is elsewhere.
    #[schema(required = true)]
    pub free_bytes: Option<u64>,
    pub uptime_ms: u64,
}
