//! Saved components: code that a source can be made from.

use serde::{Deserialize, Serialize};
use sluice_model::{ComponentId, ComponentKind, PropDef};
use utoipa::{IntoParams, ToSchema};

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
    /// The `description` of the code, which may be Markdown; null when it has none.
    pub description: Option<String>,
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

/// Body of `POST /components/published` and of `POST /components/registry`. One of the three is required; `component_id` goes
/// before the others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PublishComponent {
    /// One of your saved components.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_id: Option<String>,
    /// Code that is saved with its publication.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// Where to fetch the code; beside `component_code` it only records where that came from.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
}

/// The keys of what a search found, the best match first, at most 100 of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundComponents {
    pub sources: Vec<String>,
    pub actions: Vec<String>,
}

/// Which components to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComponentsQuery {
    /// `own`, what you saved; `published`, what you published; or `registry`, what the operator did.
    #[serde(default)]
    #[param(value_type = String, required = false, default = "own")]
    pub scope: ComponentScope,
    /// Words that are all in the key, the name, the description or the app, in either case.
    pub q: Option<String>,
    /// The slug of an app.
    pub app: Option<String>,
    /// `source` or `action`.
    #[serde(rename = "type")]
    #[param(value_type = Option<String>)]
    pub kind: Option<ComponentKind>,
}

/// Where components are listed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentScope {
    #[default]
    Own,
    Published,
    Registry,
}

/// What to look for among published components.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchComponentsQuery {
    /// Words of the key, the name, the description or the app.
    #[param(value_type = String, required = true)]
    pub query: Option<String>,
    /// The slug of an app.
    pub app: Option<String>,
    /// The part of the words that a component has to have, from 0 to 1.
    #[param(value_type = Option<f64>, minimum = 0, maximum = 1, default = 1)]
    pub similarity_threshold: Option<String>,
}
