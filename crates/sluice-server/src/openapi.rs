//! The description of the API, generated from the handlers and their types.

use std::collections::BTreeMap;

use sluice_api::ErrorBody;
use utoipa::{
    IntoResponses, Modify, OpenApi, ToSchema,
    openapi::{
        Content, RefOr, Response, ResponseBuilder,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::router;

/// The whole document, as `GET /openapi.json` serves it.
pub fn document() -> utoipa::openapi::OpenApi {
    router::described().split_for_parts().1
}

/// What the document has beside the paths.
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
            .description(Some("The API key of a user"))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

/// The failures that every path of the API shares.
pub(crate) struct ApiErrors;

impl IntoResponses for ApiErrors {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let failures = [
            (
                "400",
                "A body, field or parameter is malformed, missing or of the wrong type",
            ),
            ("401", "The API key is missing or wrong"),
            ("403", "A request with a session, and not from the console"),
            ("404", "There is no such thing, or it is not yours"),
            ("409", "The request conflicts with what is there"),
            ("413", "The body is too large"),
            ("415", "The body is not JSON"),
            (
                "422",
                "The request is understood, and invalid: code, props or a hook",
            ),
            ("429", "Over a limit; Retry-After says when to try again"),
            ("500", "Something went wrong in the server"),
            (
                "503",
                "The server cannot do this at the moment; Retry-After says when to try again",
            ),
        ];
        failures
            .into_iter()
            .map(|(status, description)| (status.to_owned(), failure(description)))
            .collect()
    }
}

fn failure(description: &str) -> RefOr<Response> {
    let content = Content::new(Some(RefOr::Ref(utoipa::openapi::Ref::from_schema_name(
        ErrorBody::name(),
    ))));
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/json", content);
    response.build().into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    #[test]
    fn every_operation_has_an_id_of_its_own_and_every_reference_a_target() {
        let document = serde_json::to_value(super::document()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let operations: Vec<&Value> = paths
            .values()
            .flat_map(|methods| methods.as_object().unwrap().values())
            .collect();
        let ids: HashSet<_> = operations
            .iter()
            .map(|operation| operation["operationId"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), operations.len());

        let mut references = Vec::new();
        collect_references(&document, &mut references);
        assert!(!references.is_empty());
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    fn collect_references<'a>(value: &'a Value, references: &mut Vec<&'a str>) {
        match value {
            Value::Object(map) => {
                references.extend(map.get("$ref").and_then(Value::as_str));
                map.values()
                    .for_each(|value| collect_references(value, references));
            }
            Value::Array(list) => list
                .iter()
                .for_each(|value| collect_references(value, references)),
            _ => {}
        }
    }
}
