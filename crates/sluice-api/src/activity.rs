//! What happened over time, and the numbers of an account at a glance. Times are epoch milliseconds.

use serde::{Deserialize, Serialize};
use sluice_model::EmitterId;
use utoipa::{IntoParams, ToSchema};

/// Counts by hours or days in UTC, oldest first; the last one of each is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// When the first hour or day begins.
    pub start_ms: i64,
    /// How long each one is.
    pub step_ms: i64,
    /// Events on the default channel and custom ones.
    pub events: Vec<u64>,
    /// Invocations that failed; of workflows, runs.
    pub errors: Vec<u64>,
    /// Invocations, hooks included; of workflows, runs that began.
    pub invocations: Vec<u64>,
    pub compute_ms: Vec<u64>,
}

/// What happened in a source or a workflow in the last 24 hours, by hours, oldest first; the last hour is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmitterActivity {
    /// When it last emitted an event, however long ago; null when it never did.
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
    /// How far back, with the hour that is under way.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 744, default = 24)]
    pub hours: Option<String>,
    /// Left out: `hour`.
    #[param(inline)]
    pub step: Option<ActivityStep>,
    /// Only that of a source or a workflow. Left out: of the whole account, with what has been deleted since.
    pub emitter_id: Option<String>,
}

/// How much time one number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityStep {
    #[default]
    Hour,
    /// From midnight to midnight in UTC; as many days as the hours fill.
    Day,
}

/// Which sources or workflows to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EmittersQuery {
    /// A part of the name or the slug, in either case.
    pub q: Option<String>,
    /// Left out: all.
    #[param(inline)]
    pub state: Option<EmitterState>,
}

/// How a source or a workflow fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EmitterState {
    Active,
    Inactive,
    /// Something in it failed in the last 24 hours, whether it is active or not.
    Failing,
}

/// What to show beside sources or workflows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExpandEmittersQuery {
    /// `activity` returns the last 24 hours of each.
    pub expand: Option<String>,
}

/// An account at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// Of the last 24 hours.
    pub activity: Activity,
    pub sources: Tally,
    pub workflows: Tally,
    /// Those with most events in the last 24 hours, at most 5.
    #[schema(max_items = 5)]
    pub busiest: Vec<ActiveEmitter>,
    /// Those with most errors in the last 24 hours, at most 5.
    #[schema(max_items = 5)]
    pub failing: Vec<ActiveEmitter>,
    pub deliveries: DeliveryTally,
    /// Null unless an operator asks.
    #[schema(required = true)]
    pub server: Option<ServerTally>,
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    pub total: u64,
    pub active: u64,
    /// Those in which something failed in the last 24 hours.
    pub failing: u64,
}

/// A source or a workflow, with what it did in the last 24 hours.
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
    /// Those that are not over.
    pub waiting: u64,
    /// Those that were given up.
    pub failed: u64,
}

/// What the server uses at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServerTally {
    /// Component processes.
    pub processes: u64,
    pub processes_memory_bytes: u64,
    /// Of the server itself.
    pub memory_bytes: u64,
    /// Of the database.
    pub storage_bytes: u64,
    /// What the file system of the data folder has left; null when the database is elsewhere.
    #[schema(required = true)]
    pub free_bytes: Option<u64>,
    pub uptime_ms: u64,
}
