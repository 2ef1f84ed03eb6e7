//! Sources: deployed components, and manual runs.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value, value::RawValue};
use sluice_model::{ComponentId, InvocationId, SourceId, UserId};
use utoipa::ToSchema;

use crate::components::ComponentFiles;

use crate::activity::EmitterActivity;

/// A deployed component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub id: SourceId,
    /// Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, example = "u_Aiot2b")]
    pub user_id: Option<UserId>,
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub component_id: ComponentId,
    /// The slug of the app of its component: of the first app in its props, else the one that its key begins with. Absent without
    /// an app that this server has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "github")]
    pub app: Option<String>,
    /// Values of the props. An HTTP interface holds `endpoint_url`, a timer `cron` and `interval_seconds`; secrets are masked.
    #[schema(value_type = Object)]
    pub configured_props: Map<String, Value>,
    pub active: bool,
    /// The number of the version that it runs.
    pub version: u32,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    pub name: String,
    pub name_slug: String,
    /// When its next timer is due, in epoch milliseconds; absent without an active timer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_run_at: Option<i64>,
    /// How punctual its timers are; absent without timers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ticks: Option<TickHealth>,
    /// Absent when the defaults of the server apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retention: Option<Retention>,
    /// Present with `expand=activity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub activity: Option<EmitterActivity>,
}

/// How punctual the timers of a source are. A tick is late when it reaches a process more than five seconds after it was due. It
/// is skipped when the one before was still waiting or running, or the server was down. Hours are those of the clock: "last hour"
/// is the current one and the one before, "last day" the current one and the 23 before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TickHealth {
    /// When the last tick that ran was due, in epoch milliseconds; absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_tick_at: Option<i64>,
    /// The time from then until the tick reached a process, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lateness_ms: Option<i64>,
    /// Whether, in the last hour, the last tick was late or ticks were skipped.
    pub is_late: bool,
    pub late_last_hour: u64,
    pub late_last_day: u64,
    pub skipped_last_hour: u64,
    pub skipped_last_day: u64,
}

/// How many events a source keeps, and how long. Null is the default of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Retention {
    #[serde(default, deserialize_with = "at_least_1")]
    #[schema(minimum = 1)]
    pub max_events: Option<u32>,
    #[serde(default, deserialize_with = "at_least_1")]
    #[schema(minimum = 1)]
    pub max_age_seconds: Option<u32>,
}

fn at_least_1<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        value => value.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    number
        .filter(|number| *number > 0)
        .map(Some)
        .ok_or_else(|| D::Error::custom("must be null or a whole number from 1 to 4294967295"))
}

/// Null selects the default of the server; an absent field changes nothing.
fn or_defaults<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Retention>, D::Error> {
    let given = Option::<Retention>::deserialize(deserializer)?;
    Ok(Some(given.unwrap_or_default()))
}

/// Body of `POST /sources`. One of `component_id`, `component_code`, `component_url` and `key` is required. The first of
/// them that is present is used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "component_code": "export default { name: 'Orders', version: '0.0.1', props: { http: '$.interface.http' }, run(event) { this.$emit(event.body); } };", "name": "orders" }))]
pub struct CreateSource {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_id: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// The files that `component_code` imports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_files: Option<ComponentFiles>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
    /// Key of a component in the registry of this server.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub key: Option<String>,
    /// Default: the name slug of the component.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// Values of the props; a timer is `{"intervalSeconds": 60}` or `{"cron": "0 * * * *"}`.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// The id from the response of `POST /components/props` for these values. Without it, `additionalProps` of the component
    /// runs again.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    pub retention: Option<Retention>,
}

/// Body of `PUT /sources/{id}`. Absent fields stay the same, except `active`. At least one field must be present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "orders", "active": false }))]
pub struct UpdateSource {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_id: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// The files that `component_code` imports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_files: Option<ComponentFiles>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub key: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// Replaces all values of the props.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// Null restores the default of the server.
    #[serde(default, deserialize_with = "or_defaults")]
    pub retention: Option<Retention>,
    /// Default: true.
    #[schema(default = true)]
    pub active: Option<bool>,
}

/// Body of `POST /sources/{id}/run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "event": { "order": "A-1" } }))]
pub struct RunSource {
    /// The event that `run` receives. Default: `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub event: Option<Box<RawValue>>,
}

/// One accepted run of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Invocation {
    #[schema(value_type = String)]
    pub id: InvocationId,
}
