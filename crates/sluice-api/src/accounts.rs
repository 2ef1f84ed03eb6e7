//! Accounts: a user's credentials for an app.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::{AccountId, ConnectionErrorCode, ConnectionId, EmitterId};
use utoipa::ToSchema;

use crate::{App, EmitterKind};

/// An account with an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Account {
    #[schema(value_type = String, example = "apn_V1hMeLM")]
    pub id: AccountId,
    pub name: String,
    /// Whether the last use of the credentials succeeded.
    pub healthy: bool,
    /// Whether the authorization is no longer valid. The account must be connected again.
    pub dead: bool,
    /// Why it is no longer valid.
    #[schema(required = true)]
    pub error: Option<String>,
    pub app: App,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
    /// When the access token expires, in ISO 8601; null when it does not. It is renewed before that.
    #[schema(required = true)]
    pub expires_at: Option<String>,
    /// Whether expired tokens can be renewed. False for a token that was entered without a refresh token. Null for accounts
    /// without tokens.
    #[schema(required = true)]
    pub renewable: Option<bool>,
    /// The value of `$auth` in components. Present only with `include_credentials=true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    pub credentials: Option<Map<String, Value>>,
}

/// A source or a workflow that uses an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountUse {
    #[schema(value_type = String, example = "dc_K0uAee")]
    pub id: EmitterId,
    pub kind: EmitterKind,
    pub name: String,
    pub active: bool,
}

/// Body of `POST /accounts`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "app": "openai", "credentials": { "api_key": "sk-123" } }))]
pub struct CreateAccount {
    /// Slug or id of the app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub app: Option<String>,
    /// Default: the name of the app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// The fields of a `keys` app. For an `oauth` app, existing tokens: `oauth_access_token`,
    /// `oauth_refresh_token`, `oauth_uid` and `expires_in` in seconds.
    #[schema(value_type = Option<Object>)]
    pub credentials: Option<Map<String, Value>>,
}

/// Body of `PUT /accounts/{id}`. Absent fields stay the same. At least one field must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "GitHub of the team" }))]
pub struct UpdateAccount {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// Replaces all credentials.
    #[schema(value_type = Option<Object>)]
    pub credentials: Option<Map<String, Value>>,
}

/// Body of `POST /accounts/connect`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConnectAccount {
    /// Slug or id of an `oauth` app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub app: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// An existing account to connect again. Default: a new account.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub account_id: Option<String>,
    /// Fields of the account beside its tokens, such as a subdomain: those of the app's `custom_fields_json`. Default for an
    /// existing account: those that it has.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// A URL of this server to which the browser is redirected at the end, with `account_id` or `error` in its query.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub redirect_to: Option<String>,
}

/// An account that is being connected in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Connection {
    #[schema(value_type = String, example = "con_7aXbQ2")]
    pub id: ConnectionId,
    pub status: ConnectionStatus,
    /// Null when it was removed meanwhile.
    #[schema(required = true)]
    pub app: Option<App>,
    /// The name of the account, if it is known yet.
    #[schema(required = true)]
    pub name: Option<String>,
    /// The URL to open in a browser, in which the same user signs in to the console and confirms. Present only in the response
    /// that starts the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub connect_url: Option<String>,
    #[schema(required = true, value_type = Option<String>)]
    pub account_id: Option<AccountId>,
    /// Why it failed.
    #[schema(required = true)]
    pub error: Option<String>,
    /// As a code. Absent unless it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error_code: Option<ConnectionErrorCode>,
    /// ISO 8601.
    pub expires_at: String,
}

/// The address of a provider, for the browser that asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConnectionAuthorization {
    pub authorization_url: String,
}

/// The status of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionStatus {
    Pending,
    Connected,
    Failed,
    Expired,
}
