//! Tools: actions that a user enabled for programs such as AI agents.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An action that programs may run under a name, with preset props.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tool {
    pub name: String,
    /// The key of the action, or the id of its component.
    pub component: String,
    /// The name of the action; absent when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The own description of the tool, or that of the action.
    pub description: Option<String>,
    pub has_own_description: bool,
    /// Preset values, which programs neither see nor change. Secrets are masked.
    #[schema(value_type = Object)]
    pub configured_props: Map<String, Value>,
    /// JSON Schema of the props that programs give.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// Why it cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
}

/// Body of `PUT /tools/{name}`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct EnableTool {
    /// The key of an action, or the id of its component. With a key, each run takes its newest version.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub component: Option<String>,
    /// Default: the description of the action.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub description: Option<String>,
    /// Values to preset. A secret that is sent back masked stays as it is.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// The id of the account for the app of the action, if it uses a single app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub account: Option<String>,
}

/// Body of `POST /tools/{name}/run`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RunTool {
    /// Values of the props that are not preset.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
}
