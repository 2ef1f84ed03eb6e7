//! The parts of the `OpenAPI` document that are not generated from the handlers: its head, and the errors that all paths share.

use std::collections::BTreeMap;

use sluice_api::ErrorBody;
use utoipa::{
    IntoResponses, Modify, OpenApi, ToSchema,
    openapi::{
        Content, RefOr, Response, ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

/// The document without paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Sluice",
        description = "Hosts event sources: components that receive webhooks or poll APIs, and emit events.",
    ),
    components(schemas(ErrorBody, sluice_api::TruncatedEvent)),
    modifiers(&BearerKey),
    security(("api_key" = [])),
)]
pub(crate) struct Description;

struct BearerKey;

impl Modify for BearerKey {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "The main API key of a user, or a named key with the scope of the path",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

/// The errors that every path of the API may answer.
pub(crate) struct ApiErrors;

impl IntoResponses for ApiErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let errors = [
            (
                "400",
                "A body, field or parameter is malformed, missing or of the wrong type",
            ),
            ("401", "The API key is missing, wrong or expired"),
            (
                "403",
                "A named key lacks the scope, or a request with a session is not from the console",
            ),
            ("404", "It does not exist, or it belongs to another user"),
            ("409", "The request conflicts with the current state"),
            ("413", "The body is too large"),
            ("415", "The body is not JSON"),
            (
                "422",
                "The request is well-formed but invalid: code, props or a hook",
            ),
            ("429", "A limit is exceeded; Retry-After says when to retry"),
            ("500", "Internal error of the server"),
            (
                "503",
                "The server is temporarily unavailable; Retry-After says when to retry",
            ),
        ];
        errors
            .into_iter()
            .map(|(status, description)| (status.to_owned(), error_response(description)))
            .collect()
    }
}

fn error_response(description: &str) -> RefOr<Response> {
    let content = Content::new(Some(RefOr::Ref(utoipa::openapi::Ref::from_schema_name(
        ErrorBody::name(),
    ))));
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content);
    response.build().into()
}
