//! Accounts: a user's credentials for an app.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::{AccountId, ConnectionId, EmitterId};
use utoipa::ToSchema;

use crate::{App, EmitterKind};

/// An account with an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Account {
    #[schema(value_type = String, example = "apn_V1hMeLM")]
    pub id: AccountId,
    pub name: String,
    /// Whether the credentials work, as far as is known.
    pub healthy: bool,
    /// Whether the authorization is gone for good: the account must be connected again.
    pub dead: bool,
    /// Why it is dead.
    pub error: Option<String>,
    pub app: App,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
    /// When the access token expires, which is renewed before; ISO 8601, null when it does not.
    pub expires_at: Option<String>,
    /// What components see as `$auth`; present with `include_credentials=true` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
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
pub struct CreateAccount {
    /// Slug or id of the app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub app: Option<String>,
    /// Left out: the name of the app.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// The fields of a `keys` app. For an `oauth` app, tokens that are there already: `oauth_access_token`,
    /// `oauth_refresh_token`, `oauth_uid` and `expires_in` in seconds.
    #[schema(value_type = Option<Object>)]
    pub credentials: Option<Map<String, Value>>,
}

/// Body of `PUT /accounts/{id}`. What is left out stays as it is. At least one field must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UpdateAccount {
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    /// Replaces all of them.
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
    /// An account to connect again, in place of a new one.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub account_id: Option<String>,
    /// An address of this server where the browser goes in the end, with `account_id` or `error` in its query.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub redirect_to: Option<String>,
}

/// An account that is being connected in a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Connection {
    #[schema(value_type = String, example = "con_7aXbQ2")]
    pub id: ConnectionId,
    pub status: ConnectionStatus,
    /// The address to open in a browser; present when the connection has just begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_url: Option<String>,
    #[schema(value_type = Option<String>)]
    pub account_id: Option<AccountId>,
    /// Why it failed.
    pub error: Option<String>,
    /// ISO 8601.
    pub expires_at: String,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionStatus {
    Pending,
    Connected,
    Failed,
    Expired,
}
