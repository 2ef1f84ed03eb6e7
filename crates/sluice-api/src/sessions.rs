//! Sessions of the console.

use serde::{Deserialize, Serialize};
use sluice_model::{SessionId, UserId};
use utoipa::ToSchema;

use crate::UserPlan;

/// Body of `POST /session`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SignIn {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub api_key: Option<String>,
}

/// The ways to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInOptions {
    /// Null without a provider.
    #[schema(required = true)]
    pub oidc: Option<OidcSignIn>,
    /// Why the last attempt of this browser failed, in words.
    #[schema(required = true)]
    pub error: Option<String>,
}

/// Sign-in with OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OidcSignIn {
    /// The name of the provider.
    pub name: String,
    /// Where the browser goes. With `return_to` in its query it comes back to that address of this server.
    pub url: String,
}

/// The current session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    pub user: SessionUser,
    /// When the session expires unless it is used before, in epoch milliseconds; null for a request with an API key.
    #[schema(required = true)]
    pub expires_at: Option<i64>,
    /// The version of this server.
    pub version: String,
}

/// A session of the current user, in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedSession {
    #[schema(value_type = String, example = "ses_Aiot2b")]
    pub id: SessionId,
    /// Epoch seconds.
    pub created_at: i64,
    /// Epoch seconds, to the hour.
    pub last_used_at: i64,
    /// When the session ends unless it is used before, in epoch seconds.
    pub expires_at: i64,
    /// The browser that signed in, as it described itself. May be empty.
    pub user_agent: String,
    /// The address that the sign-in came from.
    pub address: String,
    /// Whether this request has this session.
    pub current: bool,
}

/// The user of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: UserPlan,
    /// Whether this user is an operator of the server.
    pub operator: bool,
}
