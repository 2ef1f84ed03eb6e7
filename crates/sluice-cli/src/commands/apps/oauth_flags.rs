//! The flags that describe an OAuth provider.

use clap::{Args, ValueEnum};
use sluice_api::{ClientAuthentication, CustomField, OauthClient};

use super::{field_spec::parse_field, pairs::pairs};

/// The heading of these flags in the help.
pub(super) const OAUTH: &str = "OAuth";

#[derive(Debug, Args)]
pub(super) struct OauthFlags {
    /// URL where users authorize
    #[arg(long, value_name = "URL", required_if_eq("oauth", "true"), help_heading = OAUTH)]
    authorization_url: Option<String>,
    /// URL that issues tokens
    #[arg(long, value_name = "URL", required_if_eq("oauth", "true"), help_heading = OAUTH)]
    token_url: Option<String>,
    /// URL that revokes the tokens of deleted accounts
    #[arg(long, value_name = "URL", help_heading = OAUTH)]
    revocation_url: Option<String>,
    /// URL that returns the user of a token, for `oauth_uid`
    #[arg(long, value_name = "URL", help_heading = OAUTH)]
    userinfo_url: Option<String>,
    /// Field of that response with the id of the user [default: sub]
    #[arg(long, value_name = "NAME", help_heading = OAUTH)]
    uid_field: Option<String>,
    /// Scope to request. Repeat it for more
    #[arg(long = "scope", value_name = "SCOPE", help_heading = OAUTH)]
    scopes: Vec<String>,
    /// Text between scopes [default: a space]
    #[arg(long, value_name = "TEXT", help_heading = OAUTH)]
    scope_separator: Option<String>,
    /// How the client sends its secret [default: basic]
    #[arg(long, value_enum, value_name = "METHOD", help_heading = OAUTH)]
    client_authentication: Option<Method>,
    /// Do not use PKCE
    #[arg(long, help_heading = OAUTH)]
    no_pkce: bool,
    /// Additional parameter of the authorization URL
    #[arg(long = "param", value_name = "NAME=VALUE", help_heading = OAUTH)]
    params: Vec<String>,
    /// Additional parameter of token requests
    #[arg(long = "token-param", value_name = "NAME=VALUE", help_heading = OAUTH)]
    token_params: Vec<String>,
    /// Field of accounts besides the tokens. URLs may contain it: `https://{shop}.example.com`
    #[arg(long = "field", value_name = "NAME[:LABEL][:optional]", value_parser = parse_field, help_heading = OAUTH)]
    fields: Vec<CustomField>,
    /// Page of the provider where a client is registered
    #[arg(long, value_name = "URL", help_heading = OAUTH)]
    developer_url: Option<String>,
    /// Client id from the provider
    #[arg(long, value_name = "ID", required_if_eq("oauth", "true"), help_heading = OAUTH)]
    client_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// In the header `Authorization`
    Basic,
    /// In the body of the request
    Post,
}

impl OauthFlags {
    /// The client that the flags describe.
    pub(super) fn client(self, client_secret: Option<String>) -> anyhow::Result<OauthClient> {
        Ok(OauthClient {
            authorization_url: self.authorization_url.unwrap_or_default(),
            token_url: self.token_url.unwrap_or_default(),
            revocation_url: self.revocation_url,
            userinfo_url: self.userinfo_url,
            uid_field: self.uid_field,
            client_id: self.client_id.unwrap_or_default(),
            client_secret,
            scopes: self.scopes,
            scope_separator: self.scope_separator,
            authorize_params: pairs("--param", &self.params)?,
            token_params: pairs("--token-param", &self.token_params)?,
            client_authentication: self.client_authentication.map(|method| match method {
                Method::Basic => ClientAuthentication::Basic,
                Method::Post => ClientAuthentication::Post,
            }),
            pkce: Some(!self.no_pkce),
            fields: self.fields,
            developer_url: self.developer_url,
        })
    }
}
