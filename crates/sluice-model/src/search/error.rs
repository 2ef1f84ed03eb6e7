//! Errors in a query.

/// An error, and the character at which it is, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at character {position}")]
pub struct SearchError {
    pub position: usize,
    pub message: String,
}
