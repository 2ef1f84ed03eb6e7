//! The components of a tree, and the results of an import or a check.

use std::collections::BTreeMap;

use sluice_code::CodeTree;
use sluice_model::{CodeError, ComponentFailure, ComponentKind, ComponentShape, ImportId};

/// A component of a tree, with its code.
pub(crate) struct LinkedComponent {
    pub(crate) path: String,
    /// The hash of each file that was looked for, by path; empty for a file that does not exist.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) code: Result<CodeTree, Vec<CodeError>>,
    /// The shape, or its errors, if that is known without running the code.
    pub(crate) shape: Option<Result<ComponentShape, Vec<CodeError>>>,
}

impl LinkedComponent {
    pub(crate) fn new(
        path: String,
        files: BTreeMap<String, String>,
        code: Result<CodeTree, Vec<CodeError>>,
    ) -> LinkedComponent {
        LinkedComponent {
            shape: code.as_ref().ok().and_then(static_shape),
            path,
            files,
            code,
        }
    }
}

fn static_shape(code: &CodeTree) -> Option<Result<ComponentShape, Vec<CodeError>>> {
    let checked = code.static_shape()?.check(code.format());
    Some(checked.map_err(|errors| {
        let errors = errors.into_iter();
        errors.map(CodeError::without_position).collect()
    }))
}

/// A step of an import or a check.
#[derive(Debug)]
pub enum ImportProgress {
    Begun {
        /// Missing for a check, and if there is nothing to do.
        import: Option<ImportId>,
        /// The number of components.
        total: usize,
        /// The number of files that are not components.
        skipped: usize,
    },
    Components(Vec<ImportedComponent>),
    Removed(Vec<RemovedFile>),
    /// The apps of a check.
    Apps(Vec<CheckedApp>),
}

/// The result for one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedComponent {
    pub path: String,
    pub outcome: ImportOutcome,
    /// For a check.
    pub details: Option<ComponentDetails>,
}

/// The outcome for one component. A check has the outcome that an import would have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    Registered { key: String, version: String },
    Updated { key: String, version: String },
    Unchanged { key: String, version: String },
    Failed(ComponentFailure),
}

impl ImportOutcome {
    /// The key and version of a component without errors.
    pub fn registered(&self) -> Option<(&str, &str)> {
        match self {
            ImportOutcome::Registered { key, version }
            | ImportOutcome::Updated { key, version }
            | ImportOutcome::Unchanged { key, version } => Some((key, version)),
            ImportOutcome::Failed(_) => None,
        }
    }
}

/// What a check tells about a component that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentDetails {
    pub kind: ComponentKind,
    pub app: Option<String>,
    /// As `name@range`.
    pub packages: Vec<String>,
    pub fields: Vec<FieldUse>,
}

/// A credential field that a component reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldUse {
    pub app: String,
    pub name: String,
    /// Whether the code works without it.
    pub optional: bool,
}

/// A file of an earlier import that is no longer in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedFile {
    pub path: String,
    pub key: Option<String>,
    /// Whether the component was removed from the registry.
    pub pruned: bool,
}

/// An app whose credentials the code of a tree reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedApp {
    pub slug: String,
    pub fields: Vec<AppField>,
}

/// A credential field that code reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppField {
    pub name: String,
    /// Whether the code works without it.
    pub optional: bool,
    /// Whether accounts can have it, after an import.
    pub registered: bool,
}
