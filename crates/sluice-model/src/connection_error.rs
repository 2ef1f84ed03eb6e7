//! Why an account was not connected: a code for programs, and a message for people.

use serde::{Deserialize, Serialize};

/// Why an account was not connected. Clients decide by the code, never by the text.
///
/// - `access_denied`: the user or an administrator of the provider denied access.
/// - `redirect_uri_mismatch`: the client at the provider does not allow the redirect URI of this server.
/// - `invalid_client`: the provider does not accept the client.
/// - `invalid_client_secret`: the client secret is wrong.
/// - `unauthorized_client`: the client may not request access by an authorization code.
/// - `invalid_scope`: the provider does not allow a scope for the client.
/// - `unsupported_response_type`: the client does not support the authorization code flow.
/// - `invalid_grant`: the provider does not accept the authorization any more.
/// - `invalid_request`: the provider does not accept the request.
/// - `temporarily_unavailable`: the provider has a temporary problem, or did not answer.
/// - `provider_error`: the provider reported another error.
/// - `app_not_ready`: the app was removed, or its OAuth client is incomplete.
/// - `account_deleted`: the account to connect again was deleted meanwhile.
/// - `internal_error`: this server failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConnectionErrorCode {
    AccessDenied,
    RedirectUriMismatch,
    InvalidClient,
    InvalidClientSecret,
    UnauthorizedClient,
    InvalidScope,
    UnsupportedResponseType,
    InvalidGrant,
    InvalidRequest,
    TemporarilyUnavailable,
    ProviderError,
    AppNotReady,
    AccountDeleted,
    InternalError,
}

impl ConnectionErrorCode {
    /// The meaning of an error code of a provider: one of OAuth 2, or one of its own.
    pub fn of_provider(code: &str) -> ConnectionErrorCode {
        match code {
            "access_denied" => Self::AccessDenied,
            "redirect_uri_mismatch" | "invalid_redirect_uri" | "bad_redirect_uri" => {
                Self::RedirectUriMismatch
            }
            "invalid_client" | "invalid_client_id" => Self::InvalidClient,
            "incorrect_client_credentials" | "bad_client_secret" => Self::InvalidClientSecret,
            "unauthorized_client" | "unsupported_grant_type" => Self::UnauthorizedClient,
            "invalid_scope" => Self::InvalidScope,
            "unsupported_response_type" => Self::UnsupportedResponseType,
            "invalid_grant" | "bad_verification_code" | "bad_refresh_token" => Self::InvalidGrant,
            "invalid_request" => Self::InvalidRequest,
            "server_error" | "temporarily_unavailable" => Self::TemporarilyUnavailable,
            _ => Self::ProviderError,
        }
    }
}

/// Why an account was not connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ConnectionError {
    pub code: ConnectionErrorCode,
    pub message: String,
}

impl ConnectionError {
    pub fn new(code: ConnectionErrorCode, message: impl Into<String>) -> ConnectionError {
        ConnectionError {
            code,
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_providers_have_one_meaning() {
        for (word, code) in [
            ("redirect_uri_mismatch", "redirect_uri_mismatch"),
            ("bad_redirect_uri", "redirect_uri_mismatch"),
            ("incorrect_client_credentials", "invalid_client_secret"),
            ("unsupported_grant_type", "unauthorized_client"),
            ("bad_verification_code", "invalid_grant"),
            ("server_error", "temporarily_unavailable"),
            ("oven_too_hot", "provider_error"),
        ] {
            let meaning = serde_json::to_value(ConnectionErrorCode::of_provider(word)).unwrap();
            assert_eq!(meaning, code, "{word}");
        }
    }
}
