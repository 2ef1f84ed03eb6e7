//! Actions that run by themselves, and their runs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use sluice_model::{ComponentId, InvocationId, workflow::RunError};
use utoipa::{IntoParams, ToSchema};

use crate::{
    components::ComponentFiles,
    runs::{RunSend, RunWait},
};

/// Body of `POST /actions/run`. One of `component_id`, `component_code`, `component_url` and `key` is required. The first of
/// them that is present is used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RunAction {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_id: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// The files that `component_code` imports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_files: Option<ComponentFiles>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
    /// Key of an action that is published in your account or in the registry of this server.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub key: Option<String>,
    /// Values of the props. They are used as they are: `{{ … }}` is no expression here.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// The id of the account for the app of the action, if it uses a single app. Otherwise accounts are in `configured_props`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub account: Option<String>,
    /// The id from the response of `POST /components/props` for these values. Without it, `additionalProps` of the action
    /// runs again.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// From 1 to 3600. The default is the limit of the server.
    pub timeout_seconds: Option<u32>,
    /// Whether to respond after the end of the run. Default: true.
    pub wait: Option<bool>,
}

/// One run of an action.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ActionRun {
    #[schema(value_type = String)]
    pub id: InvocationId,
    pub action: Option<RanAction>,
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: String,
    /// Values of the props, with defaults. Secrets are masked.
    #[schema(value_type = Object)]
    pub configured_props: Map<String, Value>,
    /// The returned value, null if it is `undefined`. Absent before the end, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub return_value: Option<Box<RawValue>>,
    /// Named exports, `$summary` among them. Absent before the end, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub exports: Option<Map<String, Value>>,
    /// A list of `{ts, level, message}`. Absent before the end, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub logs: Option<Box<RawValue>>,
    /// What the action sent with `$.send`. Empty in lists.
    pub sends: Vec<RunSend>,
    /// Why it failed: `code` is the name of the error, and `stack` has the lines of its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub error: Option<RunError>,
    /// Present while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<RunWait>,
    /// The first run, if this run is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub replay_of: Option<InvocationId>,
    /// The named API key that started it, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Epoch milliseconds, as are the other times.
    pub accepted_at_ms: i64,
    pub started_at_ms: Option<i64>,
    pub finished_at_ms: Option<i64>,
    /// From start to end, including pauses.
    pub duration_ms: Option<i64>,
}

/// The action of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RanAction {
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub component_id: ComponentId,
    pub key: Option<String>,
    pub name: String,
    pub version: String,
}

/// Which runs of actions to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActionRunsQuery {
    /// `queued`, `running`, `waiting`, `succeeded`, `failed` or `cancelled`.
    pub state: Option<String>,
    /// Words, phrases and conditions on fields, such as `error:*declined* key:slack-send-message`. With this or with a time, all
    /// stored runs are searched.
    pub q: Option<String>,
    /// Only runs that were accepted at this time or later: epoch milliseconds or ISO 8601.
    pub since: Option<String>,
    /// Only runs that were accepted at this time or earlier: epoch milliseconds or ISO 8601.
    pub until: Option<String>,
}
