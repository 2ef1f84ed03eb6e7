//! The error of text that is not an id.

/// Stored or received text that does not have the form of its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {kind}")]
pub struct InvalidId {
    pub kind: &'static str,
}
