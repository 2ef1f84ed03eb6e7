//! The one exit for failures: which status each has, and the JSON body that all of them share.
//!
//! What happened inside the server is logged here, once, and the client sees a generic message in its place.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue, StatusCode,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use sluice_api::{ErrorBody, Fault};
use sluice_app::CodeFault;
use sluice_engine::EngineError;
use sluice_model::workflow::DocumentFault;
use sluice_store::StoreError;

/// How long a client should wait when the server could not do what it should.
const UNAVAILABLE_FOR: Duration = Duration::from_secs(1);

/// Why a request did not succeed.
#[derive(Debug)]
pub(crate) enum ApiError {
    BadRequest(String),
    Unauthorized,
    /// What somebody signed in with is the key of no user.
    WrongKey,
    Forbidden(&'static str),
    /// What there is none of, such as "source"; an id that is somebody else's is told apart in no way.
    NotFound(&'static str),
    UnknownPath,
    MethodNotAllowed,
    RequestTimeout,
    TooLarge(String),
    UnsupportedMediaType,
    BadGateway(String),
    Unavailable(String),
    GatewayTimeout(String),
    Internal(String),
    Engine(EngineError),
}

impl ApiError {
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        ApiError::BadRequest(message.into())
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        ApiError::Engine(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        ApiError::Engine(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        match self {
            ApiError::BadRequest(message) => plain(StatusCode::BAD_REQUEST, message),
            ApiError::Unauthorized => unauthorized(
                "the API key is missing or wrong; send Authorization: Bearer <API key>",
            ),
            ApiError::WrongKey => unauthorized("this is not the API key of any user"),
            ApiError::Forbidden(message) => plain(StatusCode::FORBIDDEN, message),
            ApiError::NotFound(what) => plain(StatusCode::NOT_FOUND, format!("{what} not found")),
            ApiError::UnknownPath => plain(StatusCode::NOT_FOUND, "there is nothing at this path"),
            ApiError::MethodNotAllowed => plain(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path does not take this method",
            ),
            ApiError::RequestTimeout => plain(
                StatusCode::REQUEST_TIMEOUT,
                "the body of the request did not arrive in time",
            ),
            ApiError::TooLarge(message) => plain(StatusCode::PAYLOAD_TOO_LARGE, message),
            ApiError::UnsupportedMediaType => plain(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be JSON, with Content-Type: application/json",
            ),
            ApiError::BadGateway(message) => plain(StatusCode::BAD_GATEWAY, message),
            ApiError::Unavailable(detail) => unavailable(&detail),
            ApiError::GatewayTimeout(message) => plain(StatusCode::GATEWAY_TIMEOUT, message),
            ApiError::Internal(detail) => internal(&detail),
            ApiError::Engine(error) => engine_failure(error),
        }
    }
}

fn engine_failure(error: EngineError) -> Response {
    match error {
        EngineError::NotFound(what) => ApiError::NotFound(what).into_response(),
        EngineError::BadRequest(message) => plain(StatusCode::BAD_REQUEST, message),
        EngineError::InvalidCode(faults) => unprocessable(
            "component code does not load",
            "component_code",
            texts(faults.iter().map(located)),
        ),
        EngineError::InvalidProps(faults) => {
            unprocessable("record invalid", "configured_props", texts(faults))
        }
        EngineError::InvalidRecord { field, faults } => {
            unprocessable("record invalid", field, texts(faults))
        }
        EngineError::InvalidDocument(faults) => unprocessable(
            "the document is invalid",
            "document",
            faults.into_iter().map(placed).collect(),
        ),
        EngineError::HookFailed { observations } => with_body(
            StatusCode::UNPROCESSABLE_ENTITY,
            ErrorBody {
                error: "observation error".to_owned(),
                observations: Some(observations),
                ..ErrorBody::default()
            },
        ),
        EngineError::Invalid(message) => plain(StatusCode::UNPROCESSABLE_ENTITY, message),
        EngineError::Conflict(message) => plain(StatusCode::CONFLICT, message),
        EngineError::QuotaExceeded { quota, retry_after } => retry_later(
            plain(StatusCode::TOO_MANY_REQUESTS, format!("{quota} exceeded")),
            retry_after,
        ),
        EngineError::TooLarge(message) => plain(StatusCode::PAYLOAD_TOO_LARGE, message),
        EngineError::Upstream(message) | EngineError::Busy(message) => retry_later(
            plain(StatusCode::SERVICE_UNAVAILABLE, message),
            UNAVAILABLE_FOR,
        ),
        EngineError::Unavailable(detail) => unavailable(&detail),
        EngineError::Internal(detail) => internal(&detail),
    }
}

fn unauthorized(message: &str) -> Response {
    let mut response = plain(StatusCode::UNAUTHORIZED, message);
    response
        .headers_mut()
        .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

fn unavailable(detail: &str) -> Response {
    // Whoever met the fault has logged it; under load this line would come thousands of times a second.
    tracing::debug!("answering 503: {detail}");
    let response = plain(
        StatusCode::SERVICE_UNAVAILABLE,
        "the server cannot do this at the moment; try again",
    );
    retry_later(response, UNAVAILABLE_FOR)
}

fn internal(detail: &str) -> Response {
    tracing::error!("answering 500: {detail}");
    plain(
        StatusCode::INTERNAL_SERVER_ERROR,
        "something went wrong in the server",
    )
}

fn texts(faults: impl IntoIterator<Item = String>) -> Vec<Fault> {
    faults.into_iter().map(Fault::Text).collect()
}

fn placed(fault: DocumentFault) -> Fault {
    let DocumentFault {
        line,
        column,
        path,
        message,
    } = fault;
    Fault::InDocument {
        line,
        column,
        path,
        message,
    }
}

fn unprocessable(error: &str, field: &str, faults: Vec<Fault>) -> Response {
    with_body(
        StatusCode::UNPROCESSABLE_ENTITY,
        ErrorBody {
            error: error.to_owned(),
            details: BTreeMap::from([(field.to_owned(), faults)]),
            ..ErrorBody::default()
        },
    )
}

fn located(fault: &CodeFault) -> String {
    let CodeFault {
        message,
        line,
        column,
    } = fault;
    match (line, column) {
        (Some(line), Some(column)) => format!("{message} (line {line}, column {column})"),
        (Some(line), None) => format!("{message} (line {line})"),
        (None, _) => message.clone(),
    }
}

fn retry_later(mut response: Response, after: Duration) -> Response {
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

fn plain(status: StatusCode, error: impl Into<String>) -> Response {
    with_body(
        status,
        ErrorBody {
            error: error.into(),
            ..ErrorBody::default()
        },
    )
}

fn with_body(status: StatusCode, body: ErrorBody) -> Response {
    (status, Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use serde_json::{Value, json};

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
    async fn faults_of_code_say_where_they_are() {
        let fault = |line, column| CodeFault {
            message: "Unexpected token".to_owned(),
            line,
            column,
        };
        let faults = vec![
            fault(Some(3), Some(7)),
            fault(Some(3), None),
            fault(None, None),
        ];
        let (status, body, _) = answer(EngineError::InvalidCode(faults)).await;
        assert_eq!(status, 422);
        assert_eq!(
            body,
            json!({"error": "component code does not load", "details": {"component_code": [
                "Unexpected token (line 3, column 7)", "Unexpected token (line 3)", "Unexpected token",
            ]}})
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
    async fn limits_say_when_to_come_back() {
        let error = EngineError::QuotaExceeded {
            what: "daily invocations quota",
            retry_after: Duration::from_millis(1500),
        };
        let (status, _, retry_after) = answer(error).await;
        assert_eq!((status, retry_after.as_deref()), (429, Some("2")));
        let (status, _, retry_after) = answer(StoreError::Unavailable("disk".to_owned())).await;
        assert_eq!((status, retry_after.as_deref()), (503, Some("1")));
    }

    #[tokio::test]
    async fn inner_faults_stay_inside() {
        let (status, body, _) = answer(EngineError::Internal("secret detail".to_owned())).await;
        assert_eq!(status, 500);
        assert!(!body.to_string().contains("secret"));
    }
}
