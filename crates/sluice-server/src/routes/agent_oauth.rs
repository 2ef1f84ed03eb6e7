//! OAuth 2.1 for AI applications: the metadata by which they find it, their registration, and the exchange of codes for keys.
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
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sluice_app::{AccessError, App, Exchange};
use sluice_infra::Infra;

use crate::{cors, error::ApiError, state::ServerState, wrong_keys::ClientAddress};

/// Of the protected resource `/mcp`. Clients look below the path of the resource, and then at the root.
pub(crate) const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
pub(crate) const RESOURCE_AT_ROOT: &str = "/.well-known/oauth-protected-resource";
pub(crate) const SERVER: &str = "/.well-known/oauth-authorization-server";
pub(crate) const REGISTER: &str = "/oauth/register";
pub(crate) const TOKEN: &str = "/oauth/token";
/// The page of the console on which users approve applications.
const AUTHORIZE: &str = "/agents/authorize";
const MAX_BODY: usize = 16 * 1024;
/// What applications ask for unless their users choose otherwise.
const SCOPES: [&str; 2] = ["read", "run"];

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
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code"],
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
}

/// RFC 7591.
async fn register(State(app): State<Arc<App>>, body: Bytes) -> Result<Response, OauthError> {
    let registration: Registration = serde_json::from_slice(&body)
        .map_err(|error| AccessError::InvalidClientMetadata(error.to_string()))?;
    let Registration {
        client_name,
        redirect_uris,
    } = registration;
    let registered = app
        .agent_access
        .register(client_name.as_deref(), redirect_uris)?;
    let (client_id, application) = registered;
    let body = json!({
        "client_id": client_id,
        "client_name": application.name,
        "redirect_uris": application.redirect_uris,
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn token(
    State(app): State<Arc<App>>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    body: Bytes,
) -> Result<Response, OauthError> {
    let mut fields: BTreeMap<String, String> = form_urlencoded::parse(&body).into_owned().collect();
    if fields.get("grant_type").map(String::as_str) != Some("authorization_code") {
        return Err(OauthError::UnsupportedGrant);
    }
    let mut required = |name: &str| {
        let missing = || AccessError::InvalidRequest(format!("{name} is required"));
        fields.remove(name).ok_or_else(missing)
    };
    let exchange = Exchange {
        code: required("code")?,
        client_id: required("client_id")?,
        code_verifier: required("code_verifier")?,
        redirect_uri: fields.remove("redirect_uri"),
    };
    let issued = app.agent_access.exchange(exchange, Some(address)).await?;
    let body = json!({
        "access_token": issued.key,
        "token_type": "Bearer",
        "expires_in": issued.lifetime_s,
        "scope": issued.scopes.to_text().replace(',', " "),
    });
    Ok(Json(body).into_response())
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
                "grant_type must be authorization_code".to_owned(),
            ),
            OauthError::Access(AccessError::Engine(error)) => {
                ApiError::Engine(error).into_response()
            }
            OauthError::Access(error) => answer(error.code(), error.to_string()),
        }
    }
}
