//! Sessions of the console: sign in and sign out.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{AppendHeaders, IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{SET_COOKIE, USER_AGENT},
};
use sluice_api::{Data, FieldQuery, Session, SessionUser, SignIn};
use sluice_app::{ActiveSession, App, Client, SignIn as SignInResult};
use sluice_infra::Infra;
use sluice_store::users::User;

use super::user_admin::plan_on_the_wire;
use crate::{
    actor::actor_of,
    auth::{Caller, Credential},
    error::ApiError,
    fields::FieldSelection,
    json_body::{JsonBody, ShortBody},
    openapi::ApiErrors,
    query::Query,
    reply,
    same_origin::FromConsole,
    session_cookie::SessionCookie,
    state::ServerState,
    wrong_keys::ClientAddress,
};

/// The characters that are kept of the description of a browser.
const MAX_USER_AGENT: usize = 300;

/// Sign in
///
/// The response sets a cookie, which every path accepts in place of the key. Its name is `sluice_session_` and an id of this
/// server, because servers on other ports of the same host share cookies. A request with it that is not GET, HEAD or OPTIONS
/// needs the header `x-sluice-console: 1`, as this one does, and must not come from another origin. The session ends after 14
/// days without use, 90 days after the sign-in, and when the key is rotated. A named key cannot sign in.
#[utoipa::path(post, path = "/session", tag = "sessions", operation_id = "signIn",
    params(("x-sluice-console" = String, Header, description = "Always `1`", example = "1"), FieldQuery), request_body = SignIn,
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The session", body = Data<Session>), ApiErrors))]
pub(crate) async fn sign_in(
    _: FromConsole,
    State(state): State<ServerState>,
    Extension(address): Extension<ClientAddress>,
    headers: HeaderMap,
    ShortBody(JsonBody { parameters, fields }): ShortBody<SignIn>,
) -> Result<Response, ApiError> {
    let key = parameters
        .api_key
        .ok_or_else(|| ApiError::bad_request("api_key is required"))?;
    let (app, infra, key) = (&state.app, &state.infra, key.trim());
    let signed_in = app.sessions.sign_in(key, client(&headers, address));
    let signed_in = state
        .wrong_keys
        .check(address, key, infra, signed_in)
        .await?;
    let (session, token) = match signed_in.ok_or(ApiError::WrongKey)? {
        SignInResult::Started(session, token) => (session, token),
        SignInResult::NamedKey => {
            return Err(ApiError::Forbidden(
                "a named API key cannot sign in: use your main key",
            ));
        }
    };
    let ActiveSession {
        user, expires_at, ..
    } = session;
    let cookie = SessionCookie::of(app, &infra.settings);
    // The browser forgets the previous session with this response, so it is ended here.
    if let Some(before) = cookie.token(&headers) {
        app.sessions.replace(&before).await?;
    }
    let cookie = cookie.start(&token);
    let session = on_the_wire(user, Some(expires_at));
    Ok((
        AppendHeaders([(SET_COOKIE, cookie)]),
        reply::one(session, &fields),
    )
        .into_response())
}

/// The current session
///
/// The user of the key or of the cookie, and the version of the server. With a key, `expires_at` is null.
#[utoipa::path(get, path = "/session", tag = "sessions", operation_id = "getSession", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The session", body = Data<Session>), ApiErrors))]
pub(crate) async fn current(
    Caller { user, credential }: Caller,
    Query(fields): Query<FieldQuery>,
) -> Response {
    let expires_at = match credential {
        Credential::MainKey(_) | Credential::NamedKey { .. } => None,
        Credential::Session { expires_at, .. } => Some(expires_at),
    };
    reply::one(on_the_wire(user, expires_at), &FieldSelection::new(&fields))
}

/// Sign out
///
/// Ends the session of the cookie and removes the cookie.
#[utoipa::path(delete, path = "/session", tag = "sessions", operation_id = "signOut",
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Signed out"), ApiErrors))]
pub(crate) async fn sign_out(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
) -> Result<Response, ApiError> {
    let actor = actor_of(&caller, Some(address));
    if let Credential::Session { token, .. } = caller.credential {
        app.sessions.sign_out(&actor, &token).await?;
    }
    let cookie = SessionCookie::of(&app, &infra.settings).end();
    Ok((
        StatusCode::NO_CONTENT,
        AppendHeaders([(SET_COOKIE, cookie)]),
    )
        .into_response())
}

/// The browser that sent a request.
pub(super) fn client(headers: &HeaderMap, ClientAddress(address): ClientAddress) -> Client {
    let user_agent = headers.get(USER_AGENT).map(HeaderValue::as_bytes);
    let user_agent = String::from_utf8_lossy(user_agent.unwrap_or_default());
    Client {
        user_agent: user_agent.chars().take(MAX_USER_AGENT).collect(),
        address: address.to_canonical(),
    }
}

fn on_the_wire(user: User, expires_at: Option<i64>) -> Session {
    Session {
        user: SessionUser {
            id: user.id,
            username: user.username,
            email: user.email,
            plan: plan_on_the_wire(user.plan),
            operator: user.operator,
        },
        expires_at,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
