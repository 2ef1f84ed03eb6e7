//! Parameters of POST and PUT: a JSON object in the body. The query string supplies parameters that the body does not have.
//!
//! Values stay unparsed until their type is known. Payloads are therefore never rewritten, and deep nesting needs no stack.

use std::collections::BTreeMap;

use axum::extract::{FromRequest, Request};
use http::{HeaderMap, header::CONTENT_TYPE};
use serde::de::{DeserializeOwned, value::MapDeserializer};
use serde_json::value::{RawValue, to_raw_value};
use sluice_api::FieldQuery;

use crate::{
    body_budget::BodyBudget, error::ApiError, fields::FieldSelection, read_body::read_body,
    state::ServerState,
};

/// Parameters that are JSON in the query string. All others are strings.
const JSON_PARAMETERS: [&str; 15] = [
    "active",
    "concurrency",
    "configured_props",
    "event",
    "expires_in",
    "files",
    "operator",
    "page",
    "prev_context",
    "retention",
    "scopes",
    "secrets",
    "timeout_seconds",
    "version",
    "wait",
];

/// The parameters of `T`, and the common ones. Unknown parameters are ignored.
pub(crate) struct JsonBody<T> {
    pub(crate) parameters: T,
    pub(crate) fields: FieldSelection,
}

/// The same for requests without a key, with a small limit of size.
pub(crate) struct ShortBody<T>(pub(crate) JsonBody<T>);

/// Enough for names, addresses and keys.
const MAX_SHORT: usize = 16 * 1024;

impl<T: DeserializeOwned> FromRequest<ServerState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Self::Rejection> {
        Self::read(request, state.infra.settings.max_api_body, &state.bodies).await
    }
}

impl<T: DeserializeOwned> FromRequest<ServerState> for ShortBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Self::Rejection> {
        let limit = state.infra.settings.max_api_body.min(MAX_SHORT);
        let read = JsonBody::read(request, limit, &state.bodies).await;
        read.map(ShortBody)
    }
}

impl<T: DeserializeOwned> JsonBody<T> {
    async fn read(request: Request, limit: usize, bodies: &BodyBudget) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let is_json = check_content_type(&parts.headers)?;
        let mut memory = bodies.of_request();
        let body = read_body(&parts.headers, body, limit, &mut memory).await?;
        if !is_json && !body.is_empty() {
            return Err(ApiError::UnsupportedMediaType);
        }
        let mut parameters = Parameters::from_body(&body)?;
        parameters.add_query(parts.uri.query().unwrap_or_default());
        Ok(JsonBody {
            fields: FieldSelection::new(&parameters.read::<FieldQuery>()?),
            parameters: parameters.read()?,
        })
    }
}

/// Whether the content type is JSON. Without a content type, only an empty body is valid.
fn check_content_type(headers: &HeaderMap) -> Result<bool, ApiError> {
    let Some(value) = headers.get(CONTENT_TYPE) else {
        return Ok(false);
    };
    let essence = value.to_str().unwrap_or_default().split(';').next();
    let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || essence.ends_with("+json") {
        Ok(true)
    } else {
        Err(ApiError::UnsupportedMediaType)
    }
}

struct Parameters(BTreeMap<String, Box<RawValue>>);

impl Parameters {
    fn from_body(body: &[u8]) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Parameters(BTreeMap::new()));
        }
        let malformed =
            |error| ApiError::BadRequest(format!("the body is not valid JSON: {error}"));
        let whole: &RawValue = serde_json::from_slice(body).map_err(malformed)?;
        if !whole.get().starts_with('{') {
            return Err(ApiError::bad_request("the body must be a JSON object"));
        }
        serde_json::from_str(whole.get())
            .map(Parameters)
            .map_err(malformed)
    }

    fn add_query(&mut self, query: &str) {
        for (name, text) in form_urlencoded::parse(query.as_bytes()) {
            if self.0.contains_key(&*name) {
                continue;
            }
            let as_json = JSON_PARAMETERS
                .contains(&&*name)
                .then(|| serde_json::from_str::<Box<RawValue>>(&text).ok())
                .flatten();
            if let Some(value) = as_json.or_else(|| to_raw_value(&text).ok()) {
                self.0.insert(name.into_owned(), value);
            }
        }
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let values = self.0.iter().map(|(name, value)| (name.as_str(), &**value));
        serde_path_to_error::deserialize(MapDeserializer::new(values)).map_err(|error| {
            let field = error.path().to_string();
            ApiError::BadRequest(format!("{field}: {}", without_position(error.inner())))
        })
    }
}

/// The message without line and column, because these count from the start of one value, not of the body.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message
        .strip_suffix(&position)
        .map_or(message.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use sluice_api::{RunSource, UpdateSource};

    use super::*;

    fn read<T: DeserializeOwned>(body: &str, query: &str) -> Result<T, String> {
        let message = |error| match error {
            ApiError::BadRequest(message) => message,
            other => panic!("{other:?}"),
        };
        let mut parameters = Parameters::from_body(body.as_bytes()).map_err(message)?;
        parameters.add_query(query);
        parameters.read().map_err(message)
    }

    fn update(body: &str, query: &str) -> UpdateSource {
        read(body, query).unwrap()
    }

    #[test]
    fn the_body_takes_precedence_over_the_query_string() {
        let both = update(r#"{"name": "body"}"#, "name=query&key=k%20k&active=false");
        assert_eq!(both.name.as_deref(), Some("body"));
        assert_eq!(both.key.as_deref(), Some("k k"));
        assert_eq!(both.active, Some(false));
        let props = update("", "configured_props=%7B%22n%22%3A1%7D&name=5");
        assert_eq!(props.configured_props.unwrap()["n"], 1);
        assert_eq!(props.name.as_deref(), Some("5"));
    }

    #[test]
    fn an_empty_body_is_an_empty_object_and_unknown_fields_are_ignored() {
        assert_eq!(update("", ""), UpdateSource::default());
        assert_eq!(
            update(r#"{"unknown": [1]}"#, "other=1"),
            UpdateSource::default()
        );
        assert_eq!(update(r#"{"name": null}"#, ""), UpdateSource::default());
    }

    #[test]
    fn errors_name_the_field() {
        let error = |body: &str| read::<UpdateSource>(body, "").unwrap_err();
        assert_eq!(
            error(r#"{"name": 5}"#),
            "name: invalid type: integer `5`, expected a string"
        );
        assert!(error(r#"{"active": "yes"}"#).starts_with("active: "));
        assert!(error(r#"{"configured_props": []}"#).starts_with("configured_props: "));
        assert_eq!(
            error(r#"{"key": "\u0000"}"#),
            "key: must not contain NUL characters"
        );
    }

    #[test]
    fn errors_of_malformed_json_have_a_position() {
        let error = |body: &str| read::<UpdateSource>(body, "").unwrap_err();
        assert!(error("{\n  \"name\": }").contains("line 2 column"));
        assert_eq!(error("[1]"), "the body must be a JSON object");
        assert_eq!(error("null"), "the body must be a JSON object");
        assert!(error("{} x").contains("trailing characters"));
    }

    #[test]
    fn deep_nesting_is_an_error_or_passes_through_and_never_overflows() {
        let deep = "[".repeat(500_000) + &"]".repeat(500_000);
        let props = format!(r#"{{"configured_props": {{"a": {deep}}}}}"#);
        assert!(read::<UpdateSource>(&props, "").is_err());
        let run: RunSource = read(&format!(r#"{{"event": {deep}}}"#), "").unwrap();
        assert_eq!(run.event.unwrap().get(), deep);
    }

    #[test]
    fn only_json_types_are_accepted() {
        let check = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            check_content_type(&headers).is_ok()
        };
        assert!(check("application/json"));
        assert!(check("Application/JSON; charset=utf-8"));
        assert!(check("application/vnd.api+json"));
        assert!(!check("text/plain"));
        assert!(!check("application/jsonp"));
        assert!(!check(""));
    }
}
