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

/// How an app authenticates its users.
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
    /// The value of `app` in app props.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub name_slug: Option<String>,
    /// Default: the slug.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub description: Option<String>,
    #[schema(required = true, value_type = AuthType)]
    pub auth_type: Option<AuthType>,
    /// The fields of an account. For `keys` only.
    pub custom_fields: Option<Vec<CustomField>>,
    /// The client that is registered with the provider. For `oauth` only.
    pub oauth: Option<OauthClient>,
}

/// A field of an account of a `keys` app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomField {
    #[schema(example = "api_key")]
    pub name: String,
    pub label: Option<String>,
    pub description: Option<String>,
    pub default: Option<String>,
    #[serde(default)]
    pub optional: bool,
    /// The type of the form field, such as `password`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A client of an OAuth 2 provider. Its redirect URI there is this server's `/oauth/callback`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OauthClient {
    pub authorization_url: String,
    pub token_url: String,
    /// Revokes the tokens of deleted accounts.
    pub revocation_url: Option<String>,
    /// Returns the user of an account, for `oauth_uid`.
    pub userinfo_url: Option<String>,
    /// The field of that response. Default: `sub`.
    pub uid_field: Option<String>,
    pub client_id: String,
    /// Never returned. Default in an update: the stored secret.
    pub client_secret: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Default: a space.
    pub scope_separator: Option<String>,
    /// Additional parameters of the authorization request.
    #[serde(default)]
    pub authorize_params: BTreeMap<String, String>,
    /// Additional parameters of token requests.
    #[serde(default)]
    pub token_params: BTreeMap<String, String>,
    /// Default: `client_secret_basic`.
    pub client_authentication: Option<ClientAuthentication>,
    /// Default: true.
    pub pkce: Option<bool>,
}

/// How the client sends its secret to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ClientAuthentication {
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}
