//! What can go wrong in a use case, in terms of what the caller can do about it.

use std::time::Duration;

use serde_json::Value;
use sluice_model::workflow::DocumentFault;
use sluice_outbox::OutboxError;
use sluice_runtime::{CodeFault, LoadError};
use sluice_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("{0}")]
    BadRequest(String),
    #[error("component code does not load")]
    InvalidCode(Vec<CodeFault>),
    #[error("record invalid")]
    InvalidProps(Vec<String>),
    /// What is wrong with one part of a request, in words.
    #[error("record invalid")]
    InvalidRecord {
        field: &'static str,
        faults: Vec<String>,
    },
    #[error("the document is invalid")]
    InvalidDocument(Vec<DocumentFault>),
    /// A hook threw; what it logged on the way, and the error, are the observations.
    #[error("observation error")]
    HookFailed { observations: Vec<Value> },
    #[error("{0}")]
    Invalid(String),
    #[error("{0}")]
    Conflict(String),
    #[error("{what} exceeded")]
    QuotaExceeded {
        what: &'static str,
        retry_after: Duration,
    },
    #[error("{0}")]
    TooLarge(String),
    /// Another server that is needed for this cannot be had; says which and why.
    #[error("{0}")]
    Upstream(String),
    /// A limit of the whole server is reached; says which.
    #[error("{0}")]
    Busy(String),
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    pub(crate) fn shutting_down() -> EngineError {
        EngineError::Unavailable("the server is shutting down".to_owned())
    }
}

impl From<OutboxError> for EngineError {
    fn from(error: OutboxError) -> EngineError {
        match error {
            OutboxError::Setting(reason) => EngineError::Invalid(reason),
            other => EngineError::Internal(other.to_string()),
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> EngineError {
        let text = error.to_string();
        match error {
            StoreError::Unavailable(_) => EngineError::Unavailable(text),
            StoreError::Conflict(_) => EngineError::Conflict(text),
            StoreError::Invalid(_) => EngineError::Invalid(text),
            StoreError::Corrupt(_) | StoreError::Internal(_) | StoreError::Unusable(_) => {
                EngineError::Internal(text)
            }
        }
    }
}

impl From<LoadError> for EngineError {
    fn from(error: LoadError) -> EngineError {
        match error {
            LoadError::Code(faults) => EngineError::InvalidCode(faults),
            LoadError::Start(reason) => EngineError::Unavailable(format!(
                "the component process could not be started: {reason}"
            )),
            LoadError::Packages(_) => EngineError::Upstream(error.to_string()),
        }
    }
}
