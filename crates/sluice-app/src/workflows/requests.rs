//! Requests that create and change workflows.

use std::collections::BTreeMap;

/// A new version of a workflow.
pub struct Deploy {
    /// YAML or JSON.
    pub document: String,
    /// The files that its steps name, by path.
    pub files: BTreeMap<String, String>,
    /// Values of the secrets that the document declares. Missing ones keep their stored value.
    pub secrets: BTreeMap<String, String>,
    /// `None` leaves it unchanged; a new workflow is active.
    pub active: Option<bool>,
}

/// A change of a workflow.
pub enum ChangeWorkflow {
    Deploy(Deploy),
    /// Keeps the version.
    Adjust {
        secrets: BTreeMap<String, String>,
        active: Option<bool>,
    },
}
