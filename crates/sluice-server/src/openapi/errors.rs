//! The errors that every operation may answer. They are listed once, and operations refer to them.

use std::collections::BTreeMap;

use serde_json::Value;
use sluice_api::ErrorBody;
use utoipa::{
    IntoResponses, Modify, ToSchema,
    openapi::{
        Content, Header, Object, OpenApi, Ref, RefOr, Response, ResponseBuilder, Type,
        schema::ComponentsBuilder,
    },
};

/// Status, name and meaning.
const ERRORS: [(&str, &str, &str); 12] = [
    (
        "400",
        "BadRequest",
        "A body, field or parameter is malformed, missing or of the wrong type",
    ),
    (
        "401",
        "Unauthorized",
        "The API key is missing, wrong or expired",
    ),
    (
        "403",
        "Forbidden",
        "A named key lacks the scope, or a request with a session is not from the console",
    ),
    (
        "404",
        "NotFound",
        "It does not exist, or it belongs to another user",
    ),
    (
        "408",
        "RequestTimeout",
        "The body of the request did not arrive in time",
    ),
    (
        "409",
        "Conflict",
        "The request conflicts with the current state",
    ),
    ("413", "ContentTooLarge", "The body is too large"),
    ("415", "UnsupportedMediaType", "The body is not JSON"),
    (
        "422",
        "UnprocessableContent",
        "The request is well-formed but invalid: code, props or a hook",
    ),
    (
        "429",
        "TooManyRequests",
        "A limit is exceeded; Retry-After says when to retry",
    ),
    ("500", "InternalServerError", "Internal error of the server"),
    (
        "503",
        "ServiceUnavailable",
        "The server is temporarily unavailable; Retry-After says when to retry",
    ),
];

/// The errors of an operation.
pub(crate) struct ApiErrors;

impl IntoResponses for ApiErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let reference = |name| RefOr::Ref(Ref::from_response_name(name));
        let errors = ERRORS.into_iter();
        errors
            .map(|(status, name, _)| (status.to_owned(), reference(name)))
            .collect()
    }
}

/// The responses that [`ApiErrors`] refers to.
pub(super) struct SharedErrors;

impl Modify for SharedErrors {
    fn modify(&self, openapi: &mut OpenApi) {
        let mut components = ComponentsBuilder::from(openapi.components.take().unwrap_or_default());
        for (status, name, meaning) in ERRORS {
            components = components.response(name, response(status, meaning));
        }
        openapi.components = Some(components.build());
    }
}

/// An error of a step's prop fits two variants of the schema, so they do not exclude each other.
pub(super) fn allow_several_variants(document: &mut Value) {
    let detail = document.pointer_mut("/components/schemas/ErrorDetail");
    let Some(detail) = detail.and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(variants) = detail.remove("oneOf") {
        detail.insert("anyOf".to_owned(), variants);
    }
}

fn response(status: &str, meaning: &str) -> Response {
    let body = Ref::from_schema_name(ErrorBody::name());
    let response = ResponseBuilder::new()
        .description(meaning)
        .content("application/json", Content::new(Some(RefOr::Ref(body))));
    match status {
        "401" => response.header("WWW-Authenticate", header(Type::String, "Always `Bearer`")),
        "429" | "503" => response.header(
            "Retry-After",
            header(Type::Integer, "When to retry, in seconds"),
        ),
        _ => response,
    }
    .build()
}

fn header(of_type: Type, description: &str) -> Header {
    let mut header = Header::new(Object::with_type(of_type));
    header.description = Some(description.to_owned());
    header
}
