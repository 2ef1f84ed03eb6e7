//! Importing trees of components into the registry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Parameters of `POST /components/registry/import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportComponents {
    /// What the tree is called: paths are remembered under this name.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub tree: Option<String>,
    /// At most 100.
    #[serde(default)]
    #[schema(required = true)]
    pub components: Vec<ImportComponent>,
    /// Paths that are no more in the tree: their keys may be those of other files now.
    #[serde(default)]
    pub left: Vec<String>,
}

/// A component of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportComponent {
    pub path: String,
    /// Its files as one module.
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub component_code: Option<String>,
    /// In place of code: why its files make no module. It is only remembered.
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub error: Option<String>,
    /// What it was made of: the SHA-256 of each file by its path, empty for a file that was looked for in vain.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// What came of one component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedComponent {
    pub path: String,
    pub outcome: ImportOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportOutcome {
    Registered,
    Updated,
    Unchanged,
    Failed,
}

/// Parameters of `GET /components/registry/imports`.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImportsQuery {
    /// What the tree is called.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[param(required = true, value_type = String)]
    pub tree: Option<String>,
}

/// What the last import of a tree made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedFile {
    pub path: String,
    /// As it was given when the file was imported.
    pub files: BTreeMap<String, String>,
    /// What was registered last; it stays when a later import fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why the last import failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
