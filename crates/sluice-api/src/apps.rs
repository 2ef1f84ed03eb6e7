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
    #[schema(required = true)]
    pub description: Option<String>,
    /// The fields of an account of a `keys` app: JSON text of a list of `{name, label, description, default, optional, type}`.
    pub custom_fields_json: String,
    /// The address of its icon, if it has one.
    #[schema(
        required = true,
        example = "http://localhost:8080/app-icons/github.svg"
    )]
    pub img_src: Option<String>,
    /// How accounts are connected. Null unless `auth_type` is `oauth`.
    #[schema(required = true)]
    pub oauth: Option<AppOauth>,
}

/// The state of an app's OAuth client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AppOauth {
    /// Whether the operator has set up a client. Without one, users enter tokens by hand.
    pub is_ready: bool,
    #[schema(required = true)]
    pub client_id: Option<String>,
    pub scopes: Vec<String>,
    pub authorization_url: String,
    pub token_url: String,
    /// The provider's page for registering a client.
    #[schema(required = true)]
    pub developer_url: Option<String>,
    /// The redirect URI to register there.
    pub redirect_uri: String,
}

/// An app with the number of its components in the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedApp {
    #[serde(flatten)]
    pub app: App,
    pub sources: u64,
    pub actions: u64,
}

/// Body of `PUT /apps/{id_or_slug}/oauth_client`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SetOauthClient {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub client_id: Option<String>,
    /// Never returned. Default: the stored secret.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub client_secret: Option<String>,
    /// Default: those that the app has.
    pub scopes: Option<Vec<String>>,
    /// Defaults of the fields of accounts, such as the host of a server of one's own.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
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
    /// Fields that an account has beside its tokens. The addresses may contain their values: `https://{shop}.example.com`.
    #[serde(default)]
    pub fields: Vec<CustomField>,
    /// The provider's page for registering a client.
    pub developer_url: Option<String>,
}

/// How the client sends its secret to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ClientAuthentication {
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}
