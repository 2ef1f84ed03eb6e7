//! The end of connecting an account by OAuth 2: the provider redirects the browser back here.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header::LOCATION};
use serde::Deserialize;
use sluice_app::{App, ConnectResult, ProviderAnswer};
use sluice_infra::Infra;
use sluice_model::{AccountId, ConnectionError};

use crate::{
    connect_cookie::ConnectCookie, error::ApiError, html::HtmlPage, query::Query,
    wrong_keys::ClientAddress,
};

const NOT_VALID: &str = "This answer of the provider is not valid here. It has been used, it is older than ten minutes, or \
     another browser asked for it. No account was connected. Begin again, in the browser in which you are signed in to Sluice.";

#[derive(Deserialize)]
pub(crate) struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

/// The redirect URL for providers. It needs no API key: the state authenticates the request, together with the cookie of the
/// browser that it was made for.
pub(crate) async fn callback(
    State(services): State<Arc<App>>,
    State(infra): State<Infra>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, ApiError> {
    let browser = ConnectCookie::of(&services, &infra).browser(&headers);
    let answer = match (query.error, query.code) {
        (Some(code), _) => Some(ProviderAnswer::Error {
            code,
            description: query.error_description,
        }),
        (None, Some(code)) => Some(ProviderAnswer::Code(code)),
        (None, None) => None,
    };
    let returned = match (query.state, browser, answer) {
        (Some(state), Some(browser), Some(answer)) => {
            let accounts = &services.accounts;
            accounts
                .finish_connection(&state, &browser, answer, Some(address))
                .await?
        }
        _ => None,
    };
    let page = match returned {
        Some(ConnectResult {
            redirect_to: Some(address),
            outcome,
        }) => return Ok(redirect(&address, &outcome)),
        Some(ConnectResult {
            redirect_to: None,
            outcome: Ok((_, name)),
        }) => HtmlPage::message(
            StatusCode::OK,
            "Connected",
            &format!("{name} is connected. You can close this window."),
        ),
        Some(ConnectResult {
            redirect_to: None,
            outcome: Err(error),
        }) => HtmlPage::message(StatusCode::BAD_REQUEST, "Not connected", &error.message),
        None => HtmlPage::message(StatusCode::BAD_REQUEST, "Not connected", NOT_VALID),
    };
    Ok(page.respond(&mut infra.ids.rng()))
}

fn redirect(address: &str, outcome: &Result<(AccountId, String), ConnectionError>) -> Response {
    let (name, value) = match outcome {
        Ok((account, _)) => ("account_id", account.as_str()),
        Err(error) => ("error", error.message.as_str()),
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

#[cfg(test)]
mod tests {
    use sluice_model::ConnectionErrorCode;

    use super::*;

    #[test]
    fn the_outcome_is_added_to_the_query() {
        let location = |address: &str, outcome: &Result<(AccountId, String), ConnectionError>| {
            let response = redirect(address, outcome);
            response.headers()[LOCATION].to_str().unwrap().to_owned()
        };
        let rejected = ConnectionError::new(ConnectionErrorCode::ProviderError, "no & no");
        let account = AccountId::parse("apn_x").unwrap();
        let connected = Ok((account, "X".to_owned()));
        assert_eq!(
            location("http://h/a?b=c#d", &connected),
            "http://h/a?b=c&account_id=apn_x#d"
        );
        assert_eq!(
            location("http://h/a", &Err(rejected)),
            "http://h/a?error=no+%26+no"
        );
    }
}
