//! Errors of use cases, by what the caller can do about them.

use std::time::Duration;

use serde_json::Value;
use sluice_infra::ShuttingDown;
use sluice_model::{CodeError, PropError, workflow::DocumentError};
use sluice_runtime::LoadError;
use sluice_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("{0}")]
    BadRequest(String),
    #[error("component code does not load")]
    InvalidCode(Vec<CodeError>),
    #[error("record invalid")]
    InvalidProps(Vec<PropError>),
    /// One part of a request is invalid; the messages say why.
    #[error("record invalid")]
    InvalidRecord {
        field: &'static str,
        errors: Vec<String>,
    },
    #[error("the document is invalid")]
    InvalidDocument(Vec<DocumentError>),
    /// A hook threw. Its log lines and its error are the observations.
    #[error("observation error")]
    HookFailed { observations: Vec<Value> },
    #[error("{0}")]
    Invalid(String),
    #[error("{0}")]
    Conflict(String),
    #[error("{quota} exceeded")]
    QuotaExceeded {
        quota: &'static str,
        retry_after: Duration,
    },
    #[error("{0}")]
    TooLarge(String),
    /// A server that this one depends on failed; the message names it.
    #[error("{0}")]
    Upstream(String),
    /// A limit of the whole server is reached; the message names it.
    #[error("{0}")]
    Busy(String),
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    Internal(String),
}

impl From<ShuttingDown> for EngineError {
    fn from(_: ShuttingDown) -> EngineError {
        EngineError::Unavailable("the server is shutting down".to_owned())
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> EngineError {
        let text = error.to_string();
        match error {
            StoreError::Unavailable(_) | StoreError::Fenced(_) => EngineError::Unavailable(text),
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
            LoadError::Code(errors) | LoadError::Imports(errors) => {
                EngineError::InvalidCode(errors)
            }
            LoadError::Start(reason) => EngineError::Unavailable(format!(
                "the component process could not be started: {reason}"
            )),
            LoadError::Packages(_) => EngineError::Upstream(error.to_string()),
        }
    }
}
