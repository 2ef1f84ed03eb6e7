//! Saved components: code that can be deployed as a source.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_model::{ComponentId, ComponentKind, PropDef};
use utoipa::{IntoParams, ToSchema};

/// A saved component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Component {
    #[schema(value_type = String, example = "sc_JDi8EB")]
    pub id: ComponentId,
    pub code: String,
    /// The files that the code imports. Missing for code in one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub files: Option<ComponentFiles>,
    /// SHA-256 of the code, in hexadecimal.
    pub code_hash: String,
    pub name: String,
    pub version: String,
    /// The `description` of the code, which may be Markdown; null when it has none.
    #[schema(required = true)]
    pub description: Option<String>,
    /// The props in the order in which the code declares them.
    #[schema(value_type = Vec<Value>)]
    pub configurable_props: Vec<PropDef>,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds.
    pub updated_at: i64,
    /// The `key` of the code, null when it has none.
    #[schema(required = true)]
    pub key: Option<String>,
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "source")]
    pub kind: ComponentKind,
    /// The slug of its app: of the first app in its props, else the one that its key begins with. Absent without an app that this
    /// server has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "github")]
    pub app: Option<String>,
    /// A sample of an event that the source emits, from the file `test-event` beside the code. Missing in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sample_event: Option<Value>,
}

/// The files beside a component's code.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema,
)]
pub struct ComponentFiles {
    /// The path or URL of the code itself. Its relative imports begin there.
    #[schema(example = "acme/sources/new-order/new-order.mjs")]
    pub path: String,
    /// The texts of the other files, by path or URL.
    pub files: BTreeMap<String, String>,
}

/// Body of `POST /components`. One of `component_code` and `component_url` is required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "component_code": "export default { name: 'Orders', version: '0.0.1', run() { this.$emit({ n: 1 }); } };" }))]
pub struct CreateComponent {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// The files that `component_code` imports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_files: Option<ComponentFiles>,
    /// The URL of the code. With `component_code`, it only records the origin of the code.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
}

/// Body of `POST /components/published` and of `POST /components/registry`. One of the three is required; `component_id` takes
/// precedence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "component_id": "sc_JDi8EB" }))]
pub struct PublishComponent {
    /// One of your saved components.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_id: Option<String>,
    /// Code to save and publish.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_code: Option<String>,
    /// The files that `component_code` imports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_files: Option<ComponentFiles>,
    /// The URL of the code. With `component_code`, it only records the origin of the code.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub component_url: Option<String>,
}

/// The keys of the components that a search found, best match first, at most 100 of each kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundComponents {
    pub sources: Vec<String>,
    pub actions: Vec<String>,
}

/// Which components to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComponentsQuery {
    /// `own` for your saved components, `published` for those you published, or `registry` for those the operator published.
    #[serde(default)]
    #[param(value_type = String, required = false, default = "own")]
    pub scope: ComponentScope,
    /// Words that must all be in the key, the name, the description or the app, case-insensitive.
    pub q: Option<String>,
    /// The slug of an app.
    pub app: Option<String>,
    /// `source` or `action`.
    #[serde(rename = "type")]
    #[param(value_type = Option<String>)]
    pub kind: Option<ComponentKind>,
}

/// The scope of a list of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentScope {
    #[default]
    Own,
    Published,
    Registry,
}

/// A search for published components.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchComponentsQuery {
    /// Words of the key, the name, the description or the app.
    #[param(value_type = String, required = true)]
    pub query: Option<String>,
    /// The slug of an app.
    pub app: Option<String>,
    /// The minimum fraction of the words that a component must have, from 0 to 1.
    #[param(value_type = Option<f64>, minimum = 0, maximum = 1, default = 1)]
    pub similarity_threshold: Option<String>,
}
