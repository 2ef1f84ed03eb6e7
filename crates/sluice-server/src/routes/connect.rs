//! Connects an account by OAuth 2: the client gets a URL for a browser, in which the user confirms and goes on to the provider.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{AppendHeaders, IntoResponse, Response},
};
use http::header::SET_COOKIE;
use sluice_api::{
    ConnectAccount, Connection, ConnectionAuthorization, ConnectionStatus, Data, FieldQuery,
};
use sluice_app::{App, ConnectRequest, ConnectionView};
use sluice_infra::Infra;
use sluice_model::{AccountId, ConnectionError};
use sluice_store::connections::Stage;

use crate::{
    auth::{AuthUser, Caller, Credential},
    connect_cookie::{ConnectCookie, browser_of},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::ConnectionPath,
    query::Query,
    reply,
    routes::{apps, dates::iso_date},
};

/// Start to connect an account of an `oauth` app
///
/// The same user opens `connect_url` in a browser, signs in to the console and confirms. The account is created when they agree
/// at the provider. For anyone else the URL does nothing.
#[utoipa::path(post, path = "/accounts/connect", tag = "accounts", operation_id = "connectAccount",
    params(FieldQuery), request_body = ConnectAccount,
    responses((status = 200, description = "The connection, with the URL for the browser", body = Data<Connection>), ApiErrors))]
pub(crate) async fn begin(
    AuthUser(user): AuthUser,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    JsonBody { parameters, fields }: JsonBody<ConnectAccount>,
) -> Result<Response, ApiError> {
    let ConnectAccount {
        app,
        name,
        account_id,
        fields: of_account,
        redirect_to,
    } = parameters;
    let account = account_id
        .map(|id| AccountId::parse(&id).ok_or(ApiError::NotFound("account")))
        .transpose()?;
    let request = ConnectRequest {
        app: app.ok_or_else(|| ApiError::bad_request("app is required"))?,
        name,
        account,
        fields: of_account,
        redirect_to,
    };
    let (connection, url) = services.accounts.connect(&user.id, request).await?;
    let connection = Connection {
        connect_url: Some(url),
        ..on_the_wire(connection, &infra)
    };
    Ok(reply::one(connection, &fields))
}

/// The status of a connection
///
/// It is `pending` until the user has agreed at the provider, and then has the `account_id`.
#[utoipa::path(get, path = "/accounts/connect/{id}", tag = "accounts", operation_id = "getConnection",
    params(("id" = String, Path), FieldQuery),
    responses((status = 200, description = "The connection", body = Data<Connection>), ApiErrors))]
pub(crate) async fn status(
    AuthUser(user): AuthUser,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    ConnectionPath(id): ConnectionPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let connection = services.accounts.connection(&user.id, &id).await?;
    let connection = on_the_wire(connection, &infra);
    Ok(reply::one(connection, &FieldSelection::new(&fields)))
}

/// Go on to the provider
///
/// For the page at `connect_url`. It needs a session, and binds the connection to its browser: the response sets a cookie, without
/// which the answer of the provider is rejected. The address of an earlier call is no longer valid.
#[utoipa::path(post, path = "/accounts/connect/{id}/authorize", tag = "accounts", operation_id = "authorizeConnection",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The address of the provider", body = Data<ConnectionAuthorization>), ApiErrors))]
pub(crate) async fn authorize(
    Caller { user, credential }: Caller,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    ConnectionPath(id): ConnectionPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let Credential::Session { token, .. } = credential else {
        return Err(ApiError::Forbidden(
            "this needs a session of the console in place of an API key: open connect_url in a browser",
        ));
    };
    let browser = browser_of(&token, &infra);
    let accounts = &services.accounts;
    let authorization_url = accounts
        .authorize_connection(&user.id, &id, &browser)
        .await?;
    let cookie = ConnectCookie::of(&services, &infra).set(&browser);
    let authorization = ConnectionAuthorization { authorization_url };
    Ok((
        AppendHeaders([(SET_COOKIE, cookie)]),
        reply::one(authorization, &FieldSelection::new(&fields)),
    )
        .into_response())
}

fn on_the_wire(view: ConnectionView, infra: &Infra) -> Connection {
    let now = infra.now_ms();
    let ConnectionView {
        connection,
        app,
        name,
    } = view;
    let status = match connection.stage {
        Stage::Pending if connection.expires_at <= now => ConnectionStatus::Expired,
        Stage::Pending | Stage::Returned => ConnectionStatus::Pending,
        Stage::Connected => ConnectionStatus::Connected,
        Stage::Failed => ConnectionStatus::Failed,
    };
    let failure = connection
        .error
        .map(|ConnectionError { code, message }| (code, message));
    let (error_code, error) = failure.unzip();
    Connection {
        id: connection.id,
        status,
        app: app.map(|app| apps::on_the_wire(app, &infra.settings)),
        name,
        connect_url: None,
        account_id: connection.account_id,
        error,
        error_code,
        expires_at: iso_date(connection.expires_at),
    }
}
