//! Errors of requests to the API. Each message says what to do about it.

use std::{error::Error, fmt};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sluice_api::PropError;
use sluice_model::{CodeError, workflow::DocumentError};

/// The detail with rejected props as data.
const PROPS: &str = "props";
const CODE: &str = "code";
const QUERY: &str = "q";

#[derive(Debug)]
pub(crate) enum ClientError {
    NoApiKey,
    Unreachable {
        url: String,
        cause: reqwest::Error,
    },
    Api {
        url: String,
        status: u16,
        body: Box<ApiErrorBody>,
    },
    InvalidResponse {
        url: String,
        cause: serde_json::Error,
    },
}

/// The body of an error response.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ApiErrorBody {
    error: String,
    #[serde(default)]
    details: Map<String, Value>,
    #[serde(default)]
    observations: Vec<Value>,
}

impl ClientError {
    pub(crate) fn unreachable(url: &str, cause: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            url: url.to_owned(),
            cause,
        }
    }

    pub(crate) fn api(url: &str, status: u16, body: &[u8]) -> ClientError {
        let body = serde_json::from_slice(body).unwrap_or_else(|_| ApiErrorBody {
            error: format!("the server responded with status {status} and no error message"),
            ..ApiErrorBody::default()
        });
        ClientError::Api {
            url: url.to_owned(),
            status,
            body: Box::new(body),
        }
    }

    pub(crate) fn invalid_response(url: &str, cause: serde_json::Error) -> ClientError {
        ClientError::InvalidResponse {
            url: url.to_owned(),
            cause,
        }
    }

    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, ClientError::Api { status: 404, .. })
    }

    /// Whether a retry of the same request may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            ClientError::Unreachable { .. } => true,
            ClientError::Api { status, .. } => *status == 429 || *status >= 500,
            ClientError::NoApiKey | ClientError::InvalidResponse { .. } => false,
        }
    }

    /// The rejected values of props, if the server rejected any.
    pub(crate) fn prop_errors(&self) -> Option<Vec<PropError>> {
        self.detail(PROPS)
    }

    /// The errors of code, if the server rejected some.
    pub(crate) fn code_errors(&self) -> Option<Vec<CodeError>> {
        self.detail(CODE)
    }

    /// The errors of a document, if the server rejected one.
    pub(crate) fn document_errors(&self) -> Option<Vec<DocumentError>> {
        self.detail("document")
    }

    fn detail<T: DeserializeOwned>(&self, field: &str) -> Option<T> {
        let ClientError::Api { body, .. } = self else {
            return None;
        };
        serde_json::from_value(body.details.get(field)?.clone()).ok()
    }

    /// The errors in the data that was sent, one by one. None when the request failed for another reason.
    pub(crate) fn input_errors(&self) -> Option<Vec<String>> {
        match self {
            ClientError::Api {
                status: 400 | 409 | 413 | 422,
                body,
                ..
            } => Some(body.errors()),
            _ => None,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::NoApiKey => f.write_str(
                "no API key: run `sluice login`, or set --api-key or SLUICE_API_KEY. The server prints the first key at its first start",
            ),
            ClientError::Unreachable { url, cause } => write!(
                f,
                "cannot reach a server at {url}: {}\nStart one with `sluice serve`, or set its address with --url or SLUICE_URL",
                root_cause(cause)
            ),
            ClientError::Api {
                url, status: 401, ..
            } => write!(
                f,
                "the server at {url} rejected this API key: run `sluice login` with another one, or check --api-key or SLUICE_API_KEY"
            ),
            ClientError::Api { body, .. } => body.fmt(f),
            ClientError::InvalidResponse { url, cause } => write!(
                f,
                "the response of {url} is not from Sluice ({cause}): check --url or SLUICE_URL, and that server and \
                 command have the same version"
            ),
        }
    }
}

impl Error for ClientError {}

impl fmt::Display for ApiErrorBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)?;
        for (field, errors) in self.shown_details() {
            for error in as_list(errors) {
                write!(f, "\n  {field}: {}", plain(error))?;
            }
        }
        for observation in &self.observations {
            write!(f, "\n  {}", observation_text(observation))?;
        }
        Ok(())
    }
}

impl ApiErrorBody {
    /// All details but those that repeat the error or other details as data: `props`, `code`, and `q` of a search.
    fn shown_details(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.details
            .iter()
            .filter(|(field, _)| ![PROPS, CODE, QUERY].contains(&field.as_str()))
    }

    fn errors(&self) -> Vec<String> {
        let details = self.shown_details().flat_map(|(field, errors)| {
            as_list(errors)
                .iter()
                .map(move |error| match field.as_str() {
                    "component_code" => plain(error),
                    _ => format!("{field}: {}", plain(error)),
                })
        });
        let observed = self.observations.iter().map(|observation| {
            let stack = observation["err"]["stack"].as_str().unwrap_or_default();
            if stack.is_empty() {
                observation_text(observation)
            } else {
                stack.to_owned()
            }
        });
        let errors: Vec<String> = details.chain(observed).collect();
        if errors.is_empty() {
            vec![self.error.clone()]
        } else {
            errors
        }
    }
}

fn as_list(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        item => std::slice::from_ref(item),
    }
}

/// The message that a component logged, or the error that it threw.
fn observation_text(observation: &Value) -> String {
    let error = &observation["err"];
    match (&error["name"], &error["message"], observation.get("msg")) {
        (Value::String(name), Value::String(message), _) => format!("{name}: {message}"),
        (_, _, Some(message)) => plain(message),
        _ => plain(observation),
    }
}

/// A string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The outer messages of the HTTP client ("error sending request for url") add nothing.
fn root_cause(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api_error(status: u16, body: &str) -> ClientError {
        ClientError::api("http://a", status, body.as_bytes())
    }

    #[test]
    fn an_api_error_is_shown_with_every_detail() {
        let body = r#"{"error": "record invalid", "details": {"configured_props": ["url is required", "n must be an integer"]}}"#;
        assert_eq!(
            api_error(422, body).to_string(),
            "record invalid\n  configured_props: url is required\n  configured_props: n must be an integer"
        );
        let hook = r#"{"error": "observation error", "observations": [{"msg": "hi"}, {"k": "error", "err": {"name": "Error", "message": "no"}}]}"#;
        assert_eq!(
            api_error(422, hook).to_string(),
            "observation error\n  hi\n  Error: no"
        );
        assert_eq!(
            api_error(502, "<html>").to_string(),
            "the server responded with status 502 and no error message"
        );
    }

    #[test]
    fn prop_errors_are_data_and_shown_once() {
        let body = r#"{"error": "record invalid", "details": {"configured_props": ["url is required"],
            "props": [{"prop": "url", "code": "required", "message": "url is required"}]}}"#;
        let error = api_error(422, body);
        let props = error.prop_errors().unwrap();
        assert_eq!(props.len(), 1);
        assert_eq!(
            (props[0].prop.as_str(), props[0].message.as_str()),
            ("url", "url is required")
        );
        assert_eq!(
            error.to_string(),
            "record invalid\n  configured_props: url is required"
        );
        assert_eq!(api_error(422, r#"{"error": "x"}"#).prop_errors(), None);
    }

    #[test]
    fn document_errors_are_found_in_an_api_error() {
        let body = r#"{"error": "the document is invalid", "details": {"document": [{"line": 3, "column": 5, "path": "steps", "message": "is empty"}]}}"#;
        let errors = api_error(422, body).document_errors().unwrap();
        assert_eq!((errors[0].line, errors[0].column), (3, 5));
        assert_eq!(api_error(404, r#"{"error": "x"}"#).document_errors(), None);
    }
}
