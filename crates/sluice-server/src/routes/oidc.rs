//! Sign-in with OpenID Connect: to the provider and back. Both are addresses for browsers, not of the API.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{AppendHeaders, IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{LOCATION, SET_COOKIE},
};
use serde::Deserialize;
use sluice_api::{Data, FieldQuery, OidcSignIn, SignInOptions};
use sluice_app::{App, Arrival, Oidc, ProviderReturn};
use sluice_infra::Infra;

use super::session::client;
use crate::{
    error::ApiError, fields::FieldSelection, oidc_cookie::OidcCookies, openapi::ApiErrors,
    query::Query, reply, session_cookie::SessionCookie, wrong_keys::ClientAddress,
};

pub(crate) const SIGN_IN: &str = "/oidc/sign-in";
pub(crate) const CALLBACK: &str = "/oidc/callback";

#[derive(Deserialize)]
pub(crate) struct BeginQuery {
    return_to: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
    iss: Option<String>,
}

/// The ways to sign in
///
/// Needs no API key. An API key works always. `error` says why the last attempt of this browser at the provider failed. It is shown
/// once.
#[utoipa::path(get, path = "/sign_in", tag = "sessions", operation_id = "getSignInOptions", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The ways to sign in", body = Data<SignInOptions>), ApiErrors))]
pub(crate) async fn options(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    headers: HeaderMap,
    Query(fields): Query<FieldQuery>,
) -> Response {
    let cookies = OidcCookies::of(&app, &infra);
    let error = cookies.reason(&headers);
    let shown = error
        .is_some()
        .then(|| (SET_COOKIE, cookies.forget_reason()));
    let options = SignInOptions {
        oidc: app.oidc.as_ref().map(|oidc| OidcSignIn {
            name: oidc.name().to_owned(),
            url: format!("{}{SIGN_IN}", infra.settings.public_url),
        }),
        error,
    };
    let body = reply::one(options, &FieldSelection::new(&fields));
    (AppendHeaders(shown), body).into_response()
}

/// Sends the browser to the provider. It goes on to `return_to` in the end.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Query(query): Query<BeginQuery>,
) -> Result<Response, ApiError> {
    let oidc = configured(&app)?;
    let cookies = OidcCookies::of(&app, &infra);
    let return_to = query.return_to.unwrap_or_default();
    Ok(match oidc.begin(&return_to).await {
        Ok(departure) => redirect(&departure.url, [cookies.begin(&departure.attempt)]),
        Err(error) => redirect(&console(&infra), [cookies.fail(&error.to_string())]),
    })
}

/// The provider sends the browser back here. The state authenticates the request, together with the cookie of the browser that
/// it was made for.
pub(crate) async fn callback(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Extension(address): Extension<ClientAddress>,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, ApiError> {
    let oidc = configured(&app)?;
    let cookies = OidcCookies::of(&app, &infra);
    let attempt = cookies.attempt(&headers);
    let client = client(&headers, address);
    let returned = ProviderReturn {
        state: query.state,
        code: query.code,
        error: query.error,
        error_description: query.error_description,
        issuer: query.iss,
    };
    Ok(
        match oidc.finish(attempt.as_deref(), returned, client).await {
            Ok(Arrival {
                token, return_to, ..
            }) => {
                let session = SessionCookie::of(&app, &infra.settings).start(&token);
                redirect(&return_to, [session, cookies.end()])
            }
            Err(error) => {
                let reason = cookies.fail(&error.to_string());
                redirect(&console(&infra), [reason, cookies.end()])
            }
        },
    )
}

/// Without a provider the paths do not exist.
fn configured(app: &App) -> Result<&Oidc, ApiError> {
    app.oidc.as_ref().ok_or(ApiError::UnknownPath)
}

fn console(infra: &Infra) -> String {
    format!("{}/", infra.settings.public_url)
}

fn redirect<const N: usize>(address: &str, cookies: [HeaderValue; N]) -> Response {
    let cookies: [(HeaderName, HeaderValue); N] = cookies.map(|cookie| (SET_COOKIE, cookie));
    match HeaderValue::try_from(address) {
        Ok(location) => (
            StatusCode::SEE_OTHER,
            [(LOCATION, location)],
            AppendHeaders(cookies),
        )
            .into_response(),
        Err(error) => ApiError::internal("an address is not a header value", error).into_response(),
    }
}
