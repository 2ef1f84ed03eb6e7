//! Why an application gets no access, in the words of OAuth.

use sluice_engine::EngineError;

#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error("{0}")]
    InvalidRequest(String),
    #[error("{0}")]
    InvalidClientMetadata(String),
    #[error("the redirect URI {0}")]
    InvalidRedirectUri(&'static str),
    #[error("the application is not registered here: register it again")]
    InvalidClient,
    #[error("{0}")]
    InvalidGrant(&'static str),
    #[error("the access has fewer scopes than that")]
    InvalidScope,
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl AccessError {
    /// The error code of OAuth.
    pub fn code(&self) -> &'static str {
        match self {
            AccessError::InvalidRequest(_) => "invalid_request",
            AccessError::InvalidClientMetadata(_) => "invalid_client_metadata",
            AccessError::InvalidRedirectUri(_) => "invalid_redirect_uri",
            AccessError::InvalidClient => "invalid_client",
            AccessError::InvalidGrant(_) => "invalid_grant",
            AccessError::InvalidScope => "invalid_scope",
            AccessError::Engine(_) => "server_error",
        }
    }
}
