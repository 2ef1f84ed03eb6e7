//! The `OpenAPI` document: its head is here. The operations are generated from the handlers, and [`complete`] adds what their
//! attributes leave out.

mod envelopes;
mod errors;
mod free_objects;
mod operations;
mod path_parameters;
mod security;

use serde_json::Value;
use sluice_api::{ErrorBody, TruncatedEvent};
use utoipa::{
    Modify, OpenApi,
    openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use self::errors::SharedErrors;

pub(crate) use self::errors::ApiErrors;

/// The document without paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Sluice",
        description = "Hosts event sources: components that receive webhooks or poll APIs, and emit events.\n\n\
            Bodies of requests are JSON objects. The query string may hold fields that the body lacks. `include` and `exclude` \
            select fields of a response, so fields that they leave out are absent even if the schema requires them. \
            Clients ignore fields that they do not know.",
        contact(name = "Sluice"),
    ),
    servers((url = "/", description = "The server that this document comes from")),
    tags(
        (name = "accounts", description = "Credentials of users for apps, as keys or as OAuth tokens."),
        (name = "actions", description = "Single runs of actions."),
        (name = "activity", description = "Counts of events, errors and invocations over time."),
        (name = "agents", description = "Access of AI applications to your account."),
        (name = "apps", description = "Apps that accounts belong to, and their OAuth clients."),
        (name = "audit", description = "Who changed what, when and from where."),
        (name = "components", description = "Code of sources, actions and workflow steps; published components and the registry."),
        (name = "data stores", description = "Key-value stores that all components of a user share."),
        (name = "deliveries", description = "Events on their way to webhooks: their state, retries and replay."),
        (name = "events", description = "Events that sources and workflows emitted."),
        (name = "logs", description = "Log lines of sources."),
        (name = "notifications", description = "Messages about what starts to fail and what recovers."),
        (name = "runs", description = "Runs of workflows: their steps, waits and replay."),
        (name = "server", description = "The server and the cluster that it belongs to."),
        (name = "sessions", description = "Browsers that are signed in to the console."),
        (name = "sources", description = "Deployed components that emit events."),
        (name = "streams", description = "Events, log lines and traffic as server-sent events, as they happen."),
        (name = "subscriptions", description = "Which listeners get the events of which emitters."),
        (name = "tools", description = "Actions that AI agents and other programs may run."),
        (name = "traces", description = "The work that one request caused, from the source to the last delivery."),
        (name = "users", description = "Users, their keys and their overview."),
        (name = "webhooks", description = "URLs that events are delivered to."),
        (name = "workflows", description = "Documents of steps, and their deployed versions."),
    ),
    components(schemas(ErrorBody, TruncatedEvent)),
    modifiers(&BearerKey, &SharedErrors),
)]
pub(crate) struct Description;

struct BearerKey;

impl Modify for BearerKey {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "An API key: `Authorization: Bearer KEY`. The main key of a user may do everything. A named key needs the \
                 scopes that the operation lists: `read`, `run`, `deploy` or `operate`. An operation with `main_key` refuses named \
                 keys. The console uses the cookie of a session in place of the key.",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme(security::SCHEME, SecurityScheme::Http(scheme));
    }
}

/// The document of all operations.
pub(crate) fn complete(generated: &utoipa::openapi::OpenApi) -> Value {
    let mut document =
        serde_json::to_value(generated).expect("all keys of the document are strings");
    envelopes::refer(&mut document);
    errors::allow_several_variants(&mut document);
    if let Some(schemas) = document.pointer_mut("/components/schemas") {
        free_objects::open(schemas);
    }
    security::add(&mut document);
    path_parameters::describe(&mut document);
    document
}
