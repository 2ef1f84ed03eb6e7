//! Importing trees of components into the registry.

use serde::{Deserialize, Serialize};
use sluice_model::{CodeError, FailureReason};
use utoipa::{IntoParams, ToSchema};

/// Parameters of `POST /components/registry/imports`. The body is the archive.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// The name of the tree. A later import with the same name handles only the changes.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[param(required = true, value_type = String)]
    pub tree: Option<String>,
    /// Import only these apps, by folder name, separated by commas.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub apps: Option<String>,
    /// `import`, the default, registers the components. `check` and `load` register nothing: `check` tells the results that an import would
    /// have, and `load` also loads each component with its packages.
    #[serde(default)]
    #[param(inline)]
    pub mode: Option<ImportMode>,
    /// Remove components from the registry that are no longer in the tree.
    #[serde(default, deserialize_with = "crate::query::flag")]
    pub prune: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportMode {
    Import,
    Check,
    Load,
}

/// A line of the response to `POST /components/registry/imports`. The last one is `finished` or `failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum ImportProgress {
    /// The archive is unpacked.
    Begun {
        /// The id of the import. Missing for a check, and if nothing has changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        import_id: Option<String>,
        /// The number of components.
        total: usize,
        /// The number of files that are not components.
        skipped: usize,
    },
    /// The results of some components. The first ones are those that have not changed.
    Components {
        components: Vec<ImportedComponent>,
    },
    /// Files of earlier imports that are no longer in the tree.
    Removed {
        files: Vec<RemovedFile>,
    },
    /// The apps whose credentials the code reads, at the end of a check.
    Apps {
        apps: Vec<CheckedApp>,
    },
    Finished,
    /// The import stopped. The components so far are registered, and the next import continues.
    Failed {
        error: String,
    },
}

/// The result for one component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedComponent {
    pub path: String,
    /// In a check, the outcome that an import would have.
    pub outcome: ImportOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub version: Option<String>,
    /// The step that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<FailureReason>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CodeError>,
    /// `source` or `action`, in a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub kind: Option<String>,
    /// The app that it is for, in a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub app: Option<String>,
    /// The npm packages that it imports, as `name@range`, in a check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// The credential fields that it reads, in a check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<ComponentField>,
}

/// A credential field that a component reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComponentField {
    /// The slug of the app whose accounts have it.
    pub app: String,
    pub name: String,
    /// Whether the code works without it.
    pub optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportOutcome {
    Registered,
    Updated,
    Unchanged,
    Failed,
}

/// A file of an earlier import that is no longer in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedFile {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub key: Option<String>,
    /// Whether the component was removed from the registry.
    pub pruned: bool,
}

/// An app whose credentials the code of a tree reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedApp {
    pub name_slug: String,
    pub fields: Vec<AppFieldUse>,
}

/// A credential field that code reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AppFieldUse {
    pub name: String,
    /// Whether the code works without it.
    pub optional: bool,
    /// Whether accounts can have it. An import adds fields to apps that the operator did not describe.
    pub registered: bool,
}

/// The last import of a tree. It can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Import {
    #[schema(example = "imp_x7Kd92LmQp0a")]
    pub id: String,
    pub tree: String,
    pub user_id: String,
    /// In seconds since 1970.
    pub created_at: i64,
    /// New versions of components.
    pub added: u64,
    /// Versions that have other code now.
    pub replaced: u64,
    /// Versions that were removed.
    pub removed: u64,
}

/// The versions that an undo changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UndoneImport {
    /// Versions that the import had added.
    pub removed: usize,
    /// Versions that the import had replaced or removed.
    pub restored: usize,
    /// Versions that were changed since. They stay as they are.
    pub kept: usize,
}
