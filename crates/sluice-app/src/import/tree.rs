//! A tree of components, and the outcome of its import.

use std::collections::BTreeMap;

use sluice_model::CodeError;

/// A component of a tree.
pub struct ImportedComponent {
    pub path: String,
    /// The hash of each file that was looked for, by path; empty for a file that does not exist.
    pub files: BTreeMap<String, String>,
    /// The errors that were found where the files are.
    pub errors: Vec<CodeError>,
}

/// The outcome for one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    Registered { key: String, version: String },
    Updated { key: String, version: String },
    Unchanged { key: String, version: String },
    Failed { errors: Vec<CodeError> },
}

/// Part of a tree.
pub struct TreePart {
    /// The name of the tree.
    pub tree: String,
    /// The texts of all files, by path.
    pub texts: BTreeMap<String, String>,
    pub components: Vec<ImportedComponent>,
    /// Paths that are no longer in the tree.
    pub left: Vec<String>,
}
