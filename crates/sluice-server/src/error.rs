//! Why a request failed: the status of each error, and the JSON body that all of them share.
//!
//! Internal errors are logged here, once, with their causes. The client gets a generic text in their place.

use std::{collections::BTreeMap, error::Error, time::Duration};

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue, StatusCode,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use rand::CryptoRng;
use sluice_api::{ErrorBody, ErrorDetail, PropError, QueryError};
use sluice_engine::EngineError;
use sluice_model::{
    CodeError, Scope, SearchError,
    workflow::{DocumentError, StepPropError},
};
use sluice_store::StoreError;

use crate::{cause_chain::CauseChain, html::HtmlPage};

/// When a client should retry after 503.
const RETRY_DELAY: Duration = Duration::from_secs(1);

const UNAVAILABLE: &str = "the server cannot do this at the moment; try again";
const INTERNAL: &str = "something went wrong in the server";

type BoxError = Box<dyn Error + Send + Sync>;

/// Why a request did not succeed. The text is for the client, except for `Unavailable` and `Internal`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("{0}")]
    BadRequest(String),
    #[error("q: {0}")]
    Query(SearchError),
    #[error("the API key is missing or wrong; send Authorization: Bearer <API key>")]
    Unauthorized,
    #[error("this API key has expired; create another one")]
    ExpiredKey,
    /// The key of a sign-in belongs to no user.
    #[error("this is not the API key of any user")]
    WrongKey,
    #[error("too many wrong API keys came from this address; wait before the next one")]
    TooManyWrongKeys { retry_after: Duration },
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("this API key lacks the scope {name}; use one that has it", name = .0.as_str())]
    MissingScope(Scope),
    /// The kind of resource, such as "source". The id of another user's resource gets the same answer as an unknown id.
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("there is nothing at this path")]
    UnknownPath,
    #[error("this path does not take this method")]
    MethodNotAllowed,
    /// Programs open links, such as previews in a chat, so opening one must not change a run.
    #[error("this method does not resume or cancel a run; use POST")]
    SafeMethod,
    #[error("the body of the request did not arrive in time")]
    RequestTimeout,
    #[error("{0}")]
    TooLarge(String),
    #[error("the body must be JSON, with Content-Type: application/json")]
    UnsupportedMediaType,
    #[error("{0}")]
    BadGateway(String),
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    GatewayTimeout(String),
    #[error("{context}")]
    Internal { context: String, source: BoxError },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        ApiError::Engine(error.into())
    }
}

impl ApiError {
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        ApiError::BadRequest(message.into())
    }

    pub(crate) fn internal(context: impl Into<String>, source: impl Into<BoxError>) -> Self {
        ApiError::Internal {
            context: context.into(),
            source: source.into(),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            ApiError::BadRequest(_) | ApiError::Query(_) => StatusCode::BAD_REQUEST,
            ApiError::Unauthorized | ApiError::ExpiredKey | ApiError::WrongKey => {
                StatusCode::UNAUTHORIZED
            }
            ApiError::TooManyWrongKeys { .. } => StatusCode::TOO_MANY_REQUESTS,
            ApiError::Forbidden(_) | ApiError::MissingScope(_) => StatusCode::FORBIDDEN,
            ApiError::NotFound(_) | ApiError::UnknownPath => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed | ApiError::SafeMethod => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            ApiError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ApiError::BadGateway(_) => StatusCode::BAD_GATEWAY,
            ApiError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::GatewayTimeout(_) => StatusCode::GATEWAY_TIMEOUT,
            ApiError::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            ApiError::Engine(error) => engine_status(error),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            ApiError::TooManyWrongKeys { retry_after }
            | ApiError::Engine(EngineError::QuotaExceeded { retry_after, .. }) => {
                Some(*retry_after)
            }
            error if error.status() == StatusCode::SERVICE_UNAVAILABLE => Some(RETRY_DELAY),
            _ => None,
        }
    }

    fn log(&self) {
        match self {
            ApiError::Internal { .. } | ApiError::Engine(EngineError::Internal(_)) => {
                tracing::error!(error = %CauseChain(self), "request failed");
            }
            // The component that failed has logged it. While a database is away, this would be a line per request.
            ApiError::Unavailable(_) | ApiError::Engine(EngineError::Unavailable(_)) => {
                tracing::debug!(error = %CauseChain(self), "request rejected as unavailable");
            }
            _ => {}
        }
    }

    /// The text for the client.
    fn text(&self) -> String {
        match self {
            ApiError::Unavailable(_) | ApiError::Engine(EngineError::Unavailable(_)) => {
                UNAVAILABLE.to_owned()
            }
            ApiError::Internal { .. } | ApiError::Engine(EngineError::Internal(_)) => {
                INTERNAL.to_owned()
            }
            error => error.to_string(),
        }
    }

    fn into_body(self) -> ErrorBody {
        let error = self.text();
        let (details, observations) = match self {
            ApiError::Engine(EngineError::HookFailed { observations }) => {
                (BTreeMap::new(), Some(observations))
            }
            ApiError::Engine(error) => (details(error), None),
            ApiError::Query(error) => (query_details(error), None),
            _ => (BTreeMap::new(), None),
        };
        ErrorBody {
            error,
            details,
            observations,
        }
    }
}

impl ApiError {
    /// Logs the error and returns its text, for a response that has begun.
    pub(crate) fn report(self) -> String {
        self.log();
        self.text()
    }

    /// The error as a page, for a browser.
    pub(crate) fn into_page(self, title: &str, rng: &mut impl CryptoRng) -> Response {
        self.log();
        HtmlPage::message(self.status(), title, &self.text()).respond(rng)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let (status, retry_after) = (self.status(), self.retry_after());
        let mut response = (status, Json(self.into_body())).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(delay) = retry_after {
            let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response
    }
}

fn engine_status(error: &EngineError) -> StatusCode {
    match error {
        EngineError::NotFound(_) => StatusCode::NOT_FOUND,
        EngineError::BadRequest(_) => StatusCode::BAD_REQUEST,
        EngineError::InvalidCode(_)
        | EngineError::InvalidProps(_)
        | EngineError::InvalidRecord { .. }
        | EngineError::InvalidDocument(_)
        | EngineError::HookFailed { .. }
        | EngineError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        EngineError::Conflict(_) => StatusCode::CONFLICT,
        EngineError::QuotaExceeded { .. } => StatusCode::TOO_MANY_REQUESTS,
        EngineError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        EngineError::Upstream(_) | EngineError::Busy(_) | EngineError::Unavailable(_) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        EngineError::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The single errors of an invalid request, under the field that they are about.
fn details(error: EngineError) -> BTreeMap<String, Vec<ErrorDetail>> {
    let (field, errors) = match error {
        EngineError::InvalidCode(errors) => return code_details(errors),
        EngineError::InvalidProps(errors) => return prop_details(&errors),
        EngineError::InvalidRecord { field, errors } => (field, texts(errors)),
        EngineError::InvalidDocument(errors) => {
            ("document", errors.into_iter().map(in_document).collect())
        }
        _ => return BTreeMap::new(),
    };
    BTreeMap::from([(field.to_owned(), errors)])
}

/// As sentences, which existing clients read, and as data.
fn prop_details(errors: &[sluice_model::PropError]) -> BTreeMap<String, Vec<ErrorDetail>> {
    let sentences = texts(errors.iter().map(ToString::to_string));
    let data = errors.iter().map(PropError::from).map(ErrorDetail::Prop);
    BTreeMap::from([
        ("configured_props".to_owned(), sentences),
        ("props".to_owned(), data.collect()),
    ])
}

/// As sentences, which existing clients read, and as data.
fn code_details(errors: Vec<CodeError>) -> BTreeMap<String, Vec<ErrorDetail>> {
    let sentences = texts(errors.iter().map(ToString::to_string));
    let data = errors.into_iter().map(ErrorDetail::Code);
    BTreeMap::from([
        ("component_code".to_owned(), sentences),
        ("code".to_owned(), data.collect()),
    ])
}

fn query_details(
    SearchError { position, message }: SearchError,
) -> BTreeMap<String, Vec<ErrorDetail>> {
    let error = QueryError { position, message };
    BTreeMap::from([("q".to_owned(), vec![ErrorDetail::Query(error)])])
}

fn texts(errors: impl IntoIterator<Item = String>) -> Vec<ErrorDetail> {
    errors.into_iter().map(ErrorDetail::Text).collect()
}

fn in_document(error: DocumentError) -> ErrorDetail {
    let DocumentError {
        line,
        column,
        path,
        message,
        step_prop,
    } = error;
    let (step, prop, code) = match step_prop {
        Some(StepPropError { step, prop, code }) => (Some(step), Some(prop), Some(code)),
        None => (None, None, None),
    };
    ErrorDetail::Document(sluice_api::DocumentError {
        line,
        column,
        path,
        message,
        step,
        prop,
        code,
    })
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use serde_json::{Value, json};
    use sluice_model::PropErrorCode;

    use super::*;

    async fn answer(error: impl Into<ApiError>) -> (u16, Value, Option<String>) {
        let response = error.into().into_response();
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after = retry_after.map(|value| value.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap(), retry_after)
    }

    #[tokio::test]
    async fn errors_of_code_are_sentences_and_data() {
        let errors = vec![
            CodeError {
                line: Some(3),
                column: Some(7),
                ..CodeError::without_position("Unexpected token")
            },
            CodeError::without_position("name is required"),
        ];
        let (status, body, _) = answer(EngineError::InvalidCode(errors)).await;
        assert_eq!(status, 422);
        assert_eq!(
            body,
            json!({"error": "component code does not load", "details": {
                "component_code": ["Unexpected token (line 3, column 7)", "name is required"],
                "code": [
                    {"message": "Unexpected token", "line": 3, "column": 7},
                    {"message": "name is required"},
                ],
            }})
        );
    }

    #[tokio::test]
    async fn errors_of_props_are_sentences_and_data() {
        let errors = vec![
            sluice_model::PropError::new("url", PropErrorCode::Required, "is required"),
            sluice_model::PropError::new("n", PropErrorCode::OutOfRange, "must be at least 1"),
        ];
        let (status, body, _) = answer(EngineError::InvalidProps(errors)).await;
        assert_eq!(status, 422);
        assert_eq!(
            body,
            json!({"error": "record invalid", "details": {
                "configured_props": ["url is required", "n must be at least 1"],
                "props": [
                    {"prop": "url", "code": "required", "message": "url is required"},
                    {"prop": "n", "code": "out_of_range", "message": "n must be at least 1"},
                ],
            }})
        );
    }

    #[tokio::test]
    async fn a_failed_hook_shows_its_observations() {
        let observations = vec![json!({"k": "error"})];
        let (status, body, _) = answer(EngineError::HookFailed { observations }).await;
        assert_eq!(status, 422);
        assert_eq!(
            body,
            json!({"error": "observation error", "observations": [{"k": "error"}]})
        );
    }

    #[tokio::test]
    async fn limits_say_when_to_retry() {
        let error = EngineError::QuotaExceeded {
            quota: "daily invocations quota",
            retry_after: Duration::from_millis(1500),
        };
        let (status, _, retry_after) = answer(error).await;
        assert_eq!((status, retry_after.as_deref()), (429, Some("2")));
    }

    #[tokio::test]
    async fn every_503_says_when_to_retry() {
        for error in [
            ApiError::from(StoreError::Unavailable("connection refused".to_owned())),
            ApiError::from(EngineError::Unavailable("shutting down".to_owned())),
            ApiError::from(EngineError::Upstream("no registry".to_owned())),
            ApiError::from(EngineError::Busy("all permits taken".to_owned())),
            ApiError::Unavailable("invocation gone".to_owned()),
        ] {
            let text = error.to_string();
            let (status, body, retry_after) = answer(error).await;
            assert_eq!((status, retry_after.as_deref()), (503, Some("1")), "{text}");
            assert!(body["error"].is_string(), "{text}");
        }
    }

    #[tokio::test]
    async fn the_reason_of_a_database_that_is_away_is_not_shown() {
        let error = StoreError::Unavailable("secret detail".to_owned());
        let (_, body, _) = answer(error).await;
        assert_eq!(body, json!({ "error": UNAVAILABLE }));
    }

    #[tokio::test]
    async fn internal_errors_are_not_shown() {
        let (status, body, _) = answer(EngineError::Internal("secret detail".to_owned())).await;
        assert_eq!(status, 500);
        assert_eq!(body, json!({ "error": INTERNAL }));
        let (status, body, _) = answer(ApiError::internal("secret", "detail")).await;
        assert_eq!((status, body), (500, json!({ "error": INTERNAL })));
    }
}
