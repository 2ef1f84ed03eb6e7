//! Saved components: code that a source can be made from.

use serde::{Deserialize, Serialize};
use sluice_model::{ComponentId, ComponentKind, PropDef};
use utoipa::ToSchema;

/// A saved component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Component {
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub id: ComponentId,
    pub code: String,
    /// SHA-256 of the code, in hexadecimal.
    pub code_hash: String,
    pub name: String,
    pub version: String,
    /// The props in the order in which the code declares them.
    #[schema(value_type = Vec<Value>)]
    pub configurable_props: Vec<PropDef>,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// The `key` of the code, null when it has none.
    pub key: Option<String>,
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "source")]
    pub kind: ComponentKind,
}

/// Body of `POST /components`. One of the two is required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CreateComponent {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// Where to fetch the code; beside `component_code` it only records where that came from.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
}

/// Body of `POST /components/registry`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PublishComponent {
    /// One of the operator's saved components, whose code has a `key`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub component_id: Option<String>,
}
