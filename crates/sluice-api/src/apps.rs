//! Apps: services that components authenticate to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sluice_model::AppId;
use utoipa::ToSchema;

/// An app that components can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct App {
    #[schema(value_type = String, example = "app_13Gh2V")]
    pub id: AppId,
    #[schema(example = "github")]
    pub name_slug: String,
    pub name: String,
    pub auth_type: AuthType,
    pub description: Option<String>,
    /// The fields of an account of a `keys` app: JSON text of a list of `{name, label, description, default, optional, type}`.
    pub custom_fields_json: String,
}

/// How an app knows its users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuthType {
    None,
    Keys,
    Oauth,
}

/// Body of `POST /apps`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RegisterApp {
    /// What components call it: `app` of their app props.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub name_slug: Option<String>,
    /// Left out: the slug.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub description: Option<String>,
    #[schema(required = true, value_type = AuthType)]
    pub auth_type: Option<AuthType>,
    /// The fields of an account; for `keys` only.
    pub custom_fields: Option<Vec<CustomField>>,
    /// The client that is registered with the provider; for `oauth` only.
    pub oauth: Option<OauthClient>,
}

/// One of the values that make up an account of a `keys` app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomField {
    #[schema(example = "api_key")]
    pub name: String,
    pub label: Option<String>,
    pub description: Option<String>,
    pub default: Option<String>,
    #[serde(default)]
    pub optional: bool,
    /// How a form should ask for it, such as `password`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A client of an OAuth 2 provider. Its redirect URI there is this server's `/oauth/callback`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OauthClient {
    pub authorization_url: String,
    pub token_url: String,
    /// Where tokens of deleted accounts are given back.
    pub revocation_url: Option<String>,
    /// Where the provider says whose account it is, for `oauth_uid`.
    pub userinfo_url: Option<String>,
    /// The field of that answer. Default: `sub`.
    pub uid_field: Option<String>,
    pub client_id: String,
    /// Never shown again. Left out in a change: the one it has.
    pub client_secret: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Default: a space.
    pub scope_separator: Option<String>,
    /// Further parameters of the authorization request.
    #[serde(default)]
    pub authorize_params: BTreeMap<String, String>,
    /// Further parameters of token requests.
    #[serde(default)]
    pub token_params: BTreeMap<String, String>,
    /// Default: `client_secret_basic`.
    pub client_authentication: Option<ClientAuthentication>,
    /// Default: true.
    pub pkce: Option<bool>,
}

/// How the client shows its secret to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ClientAuthentication {
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}
