//! Connects an account by OAuth 2: the client gets a URL for a browser, and the provider redirects the browser back here.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY},
};
use serde::Deserialize;
use sluice_api::{ConnectAccount, Connection, ConnectionStatus, Data, FieldQuery};
use sluice_app::{App, ConnectRequest, ConnectResult, ProviderAnswer};
use sluice_infra::Infra;
use sluice_model::AccountId;
use sluice_store::connections::{self, Stage};

use crate::{
    auth::AuthUser, error::ApiError, fields::FieldSelection, json_body::JsonBody,
    openapi::ApiErrors, path::ConnectionPath, query::Query, reply, routes::dates::iso_date,
};

/// The page is plain text. Nothing in it may load, run or be framed.
const PAGE_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    ),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

/// Start to connect an account of an `oauth` app
///
/// The user opens `connect_url` in a browser. The account is created when they agree.
#[utoipa::path(post, path = "/accounts/connect", tag = "accounts", operation_id = "connectAccount", request_body = ConnectAccount,
    responses((status = 200, body = Data<Connection>), ApiErrors))]
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
        redirect_to,
    } = parameters;
    let account = account_id
        .map(|id| AccountId::parse(&id).ok_or(ApiError::NotFound("account")))
        .transpose()?;
    let request = ConnectRequest {
        app: app.ok_or_else(|| ApiError::bad_request("app is required"))?,
        name,
        account,
        redirect_to,
    };
    let (connection, url) = services.accounts.connect(&user.id, request).await?;
    let connection = Connection {
        connect_url: Some(url),
        ..on_the_wire(connection, infra.now_ms())
    };
    Ok(reply::one(connection, &fields))
}

/// The status of a connection
#[utoipa::path(get, path = "/accounts/connect/{id}", tag = "accounts", operation_id = "getConnection",
    params(("id" = String, Path), FieldQuery),
    responses((status = 200, body = Data<Connection>), ApiErrors))]
pub(crate) async fn status(
    AuthUser(user): AuthUser,
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    ConnectionPath(id): ConnectionPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let connection = services.accounts.connection(&user.id, &id).await?;
    let connection = on_the_wire(connection, infra.now_ms());
    Ok(reply::one(connection, &FieldSelection::new(&fields)))
}

#[derive(Deserialize)]
pub(crate) struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

/// The redirect URL for providers. It needs no API key, because the state authenticates the request.
pub(crate) async fn callback(
    State(services): State<Arc<App>>,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, ApiError> {
    let answer = match (query.error, query.code) {
        (Some(code), _) => Some(ProviderAnswer::Error {
            code,
            description: query.error_description,
        }),
        (None, Some(code)) => Some(ProviderAnswer::Code(code)),
        (None, None) => None,
    };
    let returned = match (query.state, answer) {
        (Some(state), Some(answer)) => services.accounts.finish_connection(&state, answer).await?,
        _ => None,
    };
    Ok(match returned {
        Some(ConnectResult {
            redirect_to: Some(address),
            outcome,
        }) => redirect(&address, &outcome),
        Some(ConnectResult {
            redirect_to: None,
            outcome: Ok((_, name)),
        }) => show(
            StatusCode::OK,
            "Connected",
            &format!("{name} is connected. You can close this window."),
        ),
        Some(ConnectResult {
            redirect_to: None,
            outcome: Err(error),
        }) => show(StatusCode::BAD_REQUEST, "Not connected", &error),
        None => show(
            StatusCode::BAD_REQUEST,
            "Not connected",
            "This link is not valid: it has been used, it is older than ten minutes, or it did not come from here. \
             Begin again.",
        ),
    })
}

fn redirect(address: &str, outcome: &Result<(AccountId, String), String>) -> Response {
    let (name, value) = match outcome {
        Ok((account, _)) => ("account_id", account.as_str()),
        Err(error) => ("error", error.as_str()),
    };
    let (before, fragment) = match address.split_once('#') {
        Some((before, fragment)) => (before, format!("#{fragment}")),
        None => (address, String::new()),
    };
    let separator = if before.contains('?') { '&' } else { '?' };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair(name, value)
        .finish();
    let location = HeaderValue::try_from(format!("{before}{separator}{query}{fragment}"));
    match location {
        Ok(location) => (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response(),
        Err(error) => {
            ApiError::internal("the redirect is not a header value", error).into_response()
        }
    }
}

fn show(status: StatusCode, title: &str, text: &str) -> Response {
    let (title, text) = (escaped(title), escaped(text));
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <h1>{title}</h1>\n<p>{text}</p>\n</html>\n"
    );
    (status, PAGE_HEADERS, page).into_response()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn on_the_wire(connection: connections::Connection, now: i64) -> Connection {
    let status = match connection.stage {
        Stage::Pending if connection.expires_at <= now => ConnectionStatus::Expired,
        Stage::Pending | Stage::Returned => ConnectionStatus::Pending,
        Stage::Connected => ConnectionStatus::Connected,
        Stage::Failed => ConnectionStatus::Failed,
    };
    Connection {
        id: connection.id,
        status,
        connect_url: None,
        account_id: connection.account_id,
        error: connection.error,
        expires_at: iso_date(connection.expires_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_escapes_its_text() {
        assert_eq!(
            escaped("<a href='x'>&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
        );
    }

    #[test]
    fn the_outcome_is_added_to_the_query() {
        let location = |address: &str, outcome: &Result<(AccountId, String), String>| {
            let response = redirect(address, outcome);
            response.headers()[LOCATION].to_str().unwrap().to_owned()
        };
        let account = AccountId::parse("apn_x").unwrap();
        let connected = Ok((account, "X".to_owned()));
        assert_eq!(
            location("http://h/a?b=c#d", &connected),
            "http://h/a?b=c&account_id=apn_x#d"
        );
        assert_eq!(
            location("http://h/a", &Err("no & no".to_owned())),
            "http://h/a?error=no+%26+no"
        );
    }
}
