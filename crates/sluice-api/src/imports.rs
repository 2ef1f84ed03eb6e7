//! Importing trees of components into the registry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::CodeError;
use utoipa::{IntoParams, ToSchema};

/// Parameters of `POST /components/registry/import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportComponents {
    /// The name of the tree, under which paths are stored.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub tree: Option<String>,
    /// The texts of the files of all components, by path.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// At most 100.
    #[serde(default)]
    #[schema(required = true)]
    pub components: Vec<ImportComponent>,
    /// Paths that were removed from the tree. Their keys become available to other files.
    #[serde(default)]
    pub left: Vec<String>,
}

/// A component of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportComponent {
    pub path: String,
    /// The errors when its files cannot be read. They are stored without further effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CodeError>,
    /// The SHA-256 of each file that was read, by path. Empty for a file that was not found.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The result for one component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedComponent {
    pub path: String,
    pub outcome: ImportOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CodeError>,
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
    /// The name of the tree.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[param(required = true, value_type = String)]
    pub tree: Option<String>,
}

/// The result of the last import of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedFile {
    pub path: String,
    /// As sent with the import of the file.
    pub files: BTreeMap<String, String>,
    /// The key of the last successful import. A failed import keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The errors of the last import, if it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CodeError>,
}
