//! Errors of the store, classified by how the caller can react.

use thiserror::Error;

/// A failed read or write. Nothing of the transaction it came from was kept, except where
/// [`StoreError::Unavailable`] says that this is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The database cannot be reached or cannot write now: disk full, I/O error, lock, lost
    /// connection. Trying again later may work. When it hit the commit itself over a network, the
    /// transaction may or may not have been kept.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A row with the same unique key exists.
    #[error("conflict with an existing row: {0}")]
    Conflict(String),
    /// A commit for an emitter that another owner has claimed, or that was removed.
    #[error("{0}")]
    Fenced(String),
    /// A value that no database of ours can hold, such as text with a NUL character.
    #[error("cannot be stored: {0}")]
    Invalid(String),
    /// A stored row does not parse.
    #[error("stored data is corrupt: {0}")]
    Corrupt(String),
    /// The database cannot be used as it stands (in use by another server, newer than this
    /// program, a bad address): an operator must act.
    #[error("{0}")]
    Unusable(String),
    /// A bug in this program: bad SQL, a panic in a job.
    #[error("store error: {0}")]
    Internal(String),
}

impl StoreError {
    /// Whether the same call may succeed later without anything being changed in it.
    pub fn is_retryable(&self) -> bool {
        matches!(self, StoreError::Unavailable(_))
    }
}

/// The result of everything in this crate.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
