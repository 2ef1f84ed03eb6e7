//! Why a component of a tree cannot be used.

use serde::{Deserialize, Serialize};

use crate::CodeError;

/// The errors of a component, with the step that found them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentFailure {
    pub reason: FailureReason,
    pub errors: Vec<CodeError>,
}

/// The step that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureReason {
    /// A file has a syntax error, or is missing.
    Code,
    /// The code is no valid component.
    Definition,
    /// The key or the version is missing or invalid, or another file has the key.
    Key,
    /// Its packages cannot be installed.
    Packages,
    /// The code fails when it is loaded with its packages.
    Load,
}

impl ComponentFailure {
    pub fn new(reason: FailureReason, errors: Vec<CodeError>) -> ComponentFailure {
        ComponentFailure { reason, errors }
    }

    /// A failure that concerns the component as a whole.
    pub fn message(reason: FailureReason, message: impl Into<String>) -> ComponentFailure {
        ComponentFailure::new(reason, vec![CodeError::without_position(message)])
    }
}
