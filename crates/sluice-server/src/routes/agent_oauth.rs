//! OAuth 2.1 for AI applications: the metadata by which they find it, their registration, the exchange of codes for tokens, and
//! the renewal and revocation of tokens.
//!
//! Applications of any origin use these paths, without a key.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    middleware::from_fn,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use http::{StatusCode, header::CACHE_CONTROL};
use serde::Deserialize;
use serde_json::{Value, json};
use sluice_app::{AccessError, App, Exchange, IssuedKey, Renewal, Revocation};
use sluice_infra::Infra;

use crate::{cors, error::ApiError, state::ServerState, wrong_keys::ClientAddress};

/// Of the protected resource `/mcp`. Clients look below the path of the resource, and then at the root.
pub(crate) const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
pub(crate) const RESOURCE_AT_ROOT: &str = "/.well-known/oauth-protected-resource";
pub(crate) const SERVER: &str = "/.well-known/oauth-authorization-server";
pub(crate) const REGISTER: &str = "/oauth/register";
pub(crate) const TOKEN: &str = "/oauth/token";
pub(crate) const REVOKE: &str = "/oauth/revoke";
/// The page of the console on which users approve applications.
const AUTHORIZE: &str = "/agents/authorize";
const MAX_BODY: usize = 16 * 1024;
/// What applications ask for unless their users choose otherwise.
const SCOPES: [&str; 2] = ["read", "run"];
const CODE: &str = "authorization_code";
const REFRESH: &str = "refresh_token";

pub(crate) fn resource_routes() -> MethodRouter<ServerState> {
    get(resource).layer(from_fn(cors::layer))
}

pub(crate) fn server_routes() -> MethodRouter<ServerState> {
    get(server).layer(from_fn(cors::layer))
}

pub(crate) fn register_routes() -> MethodRouter<ServerState> {
    post(register)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(cors::layer))
}

pub(crate) fn token_routes() -> MethodRouter<ServerState> {
    post(token)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(cors::layer))
}

pub(crate) fn revoke_routes() -> MethodRouter<ServerState> {
    post(revoke)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(cors::layer))
}

/// RFC 9728.
async fn resource(State(infra): State<Infra>) -> Response {
    let url = &infra.settings.public_url;
    Json(json!({
        "resource": format!("{url}/mcp"),
        "resource_name": "Sluice",
        "authorization_servers": [url],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
    }))
    .into_response()
}

/// RFC 8414.
async fn server(State(infra): State<Infra>) -> Response {
    let url = &infra.settings.public_url;
    Json(json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}{AUTHORIZE}"),
        "token_endpoint": format!("{url}{TOKEN}"),
        "registration_endpoint": format!("{url}{REGISTER}"),
        "revocation_endpoint": format!("{url}{REVOKE}"),
        "revocation_endpoint_auth_methods_supported": ["none"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [CODE, REFRESH],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": SCOPES,
    }))
    .into_response()
}

#[derive(Deserialize)]
struct Registration {
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    /// Without it an application does not renew tokens.
    #[serde(default)]
    grant_types: Vec<String>,
}

/// RFC 7591.
async fn register(State(app): State<Arc<App>>, body: Bytes) -> Result<Response, OauthError> {
    let registration: Registration = serde_json::from_slice(&body)
        .map_err(|error| AccessError::InvalidClientMetadata(error.to_string()))?;
    let Registration {
        client_name,
        redirect_uris,
        grant_types,
    } = registration;
    let renews = grant_types.iter().any(|name| name == REFRESH);
    let registered = app
        .agent_access
        .register(client_name.as_deref(), redirect_uris, renews)?;
    let (client_id, application) = registered;
    let grant_types: &[&str] = if application.renews {
        &[CODE, REFRESH]
    } else {
        &[CODE]
    };
    let body = json!({
        "client_id": client_id,
        "client_name": application.name,
        "redirect_uris": application.redirect_uris,
        "grant_types": grant_types,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// RFC 6749, sections 4.1.3 and 6.
async fn token(
    State(app): State<Arc<App>>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    body: Bytes,
) -> Result<Response, OauthError> {
    let mut fields = Fields::parse(&body);
    let access = &app.agent_access;
    let issued = match fields.optional("grant_type").as_deref() {
        Some(CODE) => access.exchange(exchange(&mut fields)?, Some(address)).await,
        Some(REFRESH) => access.renew(renewal(&mut fields)?, Some(address)).await,
        _ => return Err(OauthError::UnsupportedGrant),
    };
    Ok(issued_response(issued?))
}

fn exchange(fields: &mut Fields) -> Result<Exchange, AccessError> {
    Ok(Exchange {
        code: fields.required("code")?,
        client_id: fields.required("client_id")?,
        code_verifier: fields.required("code_verifier")?,
        redirect_uri: fields.optional("redirect_uri"),
    })
}

fn renewal(fields: &mut Fields) -> Result<Renewal, AccessError> {
    Ok(Renewal {
        refresh_token: fields.required("refresh_token")?,
        client_id: fields.required("client_id")?,
        scope: fields.optional("scope"),
    })
}

fn issued_response(issued: IssuedKey) -> Response {
    let mut body = json!({
        "access_token": issued.key,
        "token_type": "Bearer",
        "expires_in": issued.lifetime_s,
        "scope": issued.scopes.to_text().replace(',', " "),
    });
    if let Some(token) = issued.refresh_token {
        body[REFRESH] = token.into();
    }
    ([(CACHE_CONTROL, "no-store")], Json(body)).into_response()
}

/// RFC 7009.
async fn revoke(
    State(app): State<Arc<App>>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    body: Bytes,
) -> Result<Response, OauthError> {
    let mut fields = Fields::parse(&body);
    let revocation = Revocation {
        token: fields.required("token")?,
        client_id: fields.required("client_id")?,
    };
    app.agent_access.revoke(revocation, Some(address)).await?;
    Ok(StatusCode::OK.into_response())
}

/// The fields of a form.
struct Fields(BTreeMap<String, String>);

impl Fields {
    fn parse(body: &[u8]) -> Fields {
        Fields(form_urlencoded::parse(body).into_owned().collect())
    }

    fn optional(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    fn required(&mut self, name: &str) -> Result<String, AccessError> {
        let missing = || AccessError::InvalidRequest(format!("{name} is required"));
        self.optional(name).ok_or_else(missing)
    }
}

/// An error in the form of OAuth.
enum OauthError {
    UnsupportedGrant,
    Access(AccessError),
}

impl From<AccessError> for OauthError {
    fn from(error: AccessError) -> OauthError {
        OauthError::Access(error)
    }
}

impl IntoResponse for OauthError {
    fn into_response(self) -> Response {
        let answer = |code: &str, text: String| -> Response {
            let body: Value = json!({ "error": code, "error_description": text });
            (StatusCode::BAD_REQUEST, Json(body)).into_response()
        };
        match self {
            OauthError::UnsupportedGrant => answer(
                "unsupported_grant_type",
                "grant_type must be authorization_code or refresh_token".to_owned(),
            ),
            OauthError::Access(AccessError::Engine(error)) => {
                ApiError::Engine(error).into_response()
            }
            OauthError::Access(error) => answer(error.code(), error.to_string()),
        }
    }
}
