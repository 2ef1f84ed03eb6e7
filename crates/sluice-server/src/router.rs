//! The routes of the API, of operations and of callbacks. Requests to endpoints do not come here.

use std::sync::{Arc, LazyLock};

use axum::{
    Router,
    middleware::from_fn,
    response::IntoResponse,
    routing::{MethodRouter, any, get, options},
};
use http::{
    HeaderMap, HeaderValue, Method, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
};
use serde_json::Value;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi;
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouterExt},
    routes,
};

use crate::{
    console::Console,
    cors,
    documentation::Documentation,
    error::ApiError,
    ingress::callback,
    openapi::{self, Description},
    request_span,
    routes::{
        accounts, actions, activity, agent_access, agent_oauth, api_keys, apps, audit, cluster,
        components, connect, connect_callback, data_stores, deliveries, events, flow, forms,
        imports, logs, notifications, oidc, older_events, one_event, operations, registry, replay,
        runs, saved_events, saved_filters, server, session, sessions, signup, source_versions,
        sources, streams, subscriptions, tools, traces, uploads, user_admin, users, webhooks,
        workflow_events, workflow_tests, workflow_versions, workflows,
    },
    state::ServerState,
};

/// The `OpenAPI` document, as `GET /openapi.json` serves it.
pub fn openapi() -> Value {
    openapi::complete(&api().split_for_parts().1)
}

/// The API and its `OpenAPI` document.
fn api() -> OpenApiRouter<ServerState> {
    let v1 = OpenApiRouter::new()
        .merge(users())
        .routes(routes!(components::create, components::list))
        .routes(routes!(components::get))
        .routes(routes!(components::search))
        .routes(routes!(registry::get, registry::unpublish))
        .routes(routes!(registry::publish))
        .routes(routes!(registry::publish_to_account))
        .routes(routes!(registry::unpublish_from_account))
        .routes(routes!(imports::import, imports::list))
        .routes(routes!(imports::undo))
        .routes(routes!(forms::options))
        .routes(routes!(forms::props))
        .routes(routes!(sources::create))
        .routes(routes!(sources::list))
        .routes(routes!(sources::get, sources::update, sources::delete))
        .routes(routes!(sources::run))
        .routes(routes!(saved_events::list_of_source))
        .routes(routes!(
            saved_events::save_of_source,
            saved_events::delete_of_source
        ))
        .routes(routes!(saved_events::last_request))
        .routes(routes!(source_versions::list))
        .routes(routes!(source_versions::get))
        .routes(routes!(source_versions::roll_back))
        .routes(routes!(events::summaries))
        .routes(routes!(events::delete, older_events::list))
        .routes(routes!(one_event::of_source))
        .routes(routes!(replay::replay))
        .routes(routes!(logs::list))
        .routes(routes!(subscriptions::create, subscriptions::delete))
        .routes(routes!(subscriptions::create_auto))
        .routes(routes!(subscriptions::list))
        .routes(routes!(webhooks::create))
        .routes(routes!(webhooks::list))
        .routes(routes!(webhooks::get, webhooks::update, webhooks::delete))
        .routes(routes!(webhooks::rotate_secret))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::list_all))
        .routes(routes!(deliveries::replay_to_webhook))
        .routes(routes!(deliveries::retry))
        .routes(routes!(deliveries::get))
        .routes(routes!(deliveries::replay))
        .routes(routes!(deliveries::replay_all))
        .routes(routes!(server::get))
        .routes(routes!(cluster::list))
        .routes(routes!(flow::get))
        .routes(routes!(traces::get))
        .routes(routes!(streams::events))
        .routes(routes!(streams::emits))
        .routes(routes!(streams::observations))
        .routes(routes!(streams::workflows::sends).layer(from_fn(cors::layer)))
        .routes(routes!(streams::traffic::follow))
        .routes(routes!(apps::register, apps::list))
        .routes(routes!(apps::get, apps::remove))
        .routes(routes!(apps::set_oauth_client))
        .routes(routes!(accounts::create, accounts::list))
        .routes(routes!(accounts::get, accounts::update, accounts::delete))
        .routes(routes!(accounts::uses))
        .routes(routes!(connect::begin))
        .routes(routes!(connect::status))
        .routes(routes!(connect::authorize))
        .routes(routes!(data_stores::list))
        .routes(routes!(data_stores::delete))
        .merge(agents())
        .merge(workflows());
    OpenApiRouter::with_openapi(Description::openapi()).nest("/v1", v1)
}

/// Users: how they sign in, what they set and what they did.
fn users() -> OpenApiRouter<ServerState> {
    OpenApiRouter::new()
        .routes(routes!(
            session::sign_in,
            session::current,
            session::sign_out
        ))
        .routes(routes!(oidc::options))
        .routes(routes!(users::me, users::update))
        .routes(routes!(users::rotate_key))
        .routes(routes!(api_keys::create, api_keys::list))
        .routes(routes!(api_keys::delete))
        .routes(routes!(sessions::list, sessions::end_others))
        .routes(routes!(sessions::end))
        .routes(routes!(notifications::get, notifications::update))
        .routes(routes!(notifications::rotate_secret))
        .routes(routes!(notifications::test))
        .routes(routes!(saved_filters::list, saved_filters::create))
        .routes(routes!(saved_filters::update, saved_filters::delete))
        .routes(routes!(activity::get))
        .routes(routes!(activity::overview))
        .routes(routes!(audit::list))
        .routes(routes!(user_admin::create, user_admin::list))
        .routes(routes!(user_admin::update, user_admin::delete))
        .routes(routes!(user_admin::rotate_key))
        .routes(routes!(signup::sign_up))
}

/// Single actions, tools, and access for AI applications.
fn agents() -> OpenApiRouter<ServerState> {
    OpenApiRouter::new()
        .routes(routes!(agent_access::get, agent_access::approve))
        .routes(routes!(actions::run))
        .routes(routes!(actions::list))
        .routes(routes!(actions::get))
        .routes(routes!(actions::replay))
        .routes(routes!(tools::list))
        .routes(routes!(tools::get, tools::enable, tools::disable))
        .routes(routes!(tools::run))
}

fn workflows() -> OpenApiRouter<ServerState> {
    OpenApiRouter::new()
        .routes(routes!(workflows::create, workflows::list))
        .routes(routes!(workflows::schema))
        .routes(routes!(
            workflows::get,
            workflows::update,
            workflows::delete
        ))
        .routes(routes!(workflows::run))
        .routes(routes!(workflow_tests::test))
        .routes(routes!(saved_events::list_of_workflow))
        .routes(routes!(
            saved_events::save_of_workflow,
            saved_events::delete_of_workflow
        ))
        .routes(routes!(workflow_versions::list))
        .routes(routes!(workflow_versions::get))
        .routes(routes!(workflow_versions::roll_back))
        .routes(routes!(runs::list))
        .routes(routes!(runs::replay_many))
        .routes(routes!(runs::get))
        .routes(routes!(runs::replay))
        .routes(routes!(workflow_events::summaries))
        .routes(routes!(one_event::of_workflow))
        .routes(routes!(workflow_events::errors))
}

/// All routes, with the console as fallback.
pub(crate) fn router(state: ServerState) -> Router {
    let (api, _) = api().split_for_parts();
    let console = Arc::new(Console::new(
        state.infra.settings.console_dir.clone(),
        state.infra.now_ms(),
        state.infra.ids.clone(),
    ));
    let documentation = Arc::new(Documentation::new(
        state.infra.now_ms(),
        state.infra.ids.clone(),
    ));
    let documentation = any(async move |method: Method, uri: Uri, headers: HeaderMap| {
        documentation.respond(&method, &uri, &headers).await
    });
    api.route("/docs", documentation.clone())
        .route("/docs/{*path}", documentation.clone())
        .route("/docs/", documentation)
        .route(operations::LIVENESS_PATH, get(operations::livez))
        .route("/readyz", get(operations::readyz))
        // The former name.
        .route("/healthz", get(operations::readyz))
        .route("/metrics", get(operations::metrics))
        .route("/openapi.json", get(document))
        .route("/app-icons/{file}", get(apps::icon))
        .route("/uploads/{id}", get(uploads::get))
        .route("/oauth/callback", get(connect_callback::callback))
        .route(oidc::SIGN_IN, get(oidc::begin))
        .route(oidc::CALLBACK, get(oidc::callback))
        .route(agent_oauth::RESOURCE, agent_oauth::resource_routes())
        .route(
            agent_oauth::RESOURCE_AT_ROOT,
            agent_oauth::resource_routes(),
        )
        .route(agent_oauth::SERVER, agent_oauth::server_routes())
        .route(agent_oauth::REGISTER, agent_oauth::register_routes())
        .route(agent_oauth::TOKEN, agent_oauth::token_routes())
        .route(agent_oauth::REVOKE, agent_oauth::revoke_routes())
        // Older clients use these addresses.
        .route("/v1/users/me/workflows", get(workflows::list))
        .route("/sources/{id}/sse", get(streams::events))
        .route("/sse/dc/{id}/emits", get(streams::events))
        .route("/sse/dc/{id}/observations", get(streams::observations))
        // Some clients escape the `$`.
        .route(
            "/v1/workflows/{id}/%24errors/event_summaries",
            get(workflow_events::errors),
        )
        // A workflow may have the slug `test`.
        .route(
            "/v1/workflows/test",
            get(workflows::get)
                .put(workflows::update)
                .delete(workflows::delete),
        )
        .route("/workflows/schema.json", get(workflows::schema))
        .route(
            "/workflows/resume/{key}",
            any(callback::resume).layer(from_fn(cors::layer)),
        )
        .route(
            "/workflows/cancel/{key}",
            any(callback::cancel).layer(from_fn(cors::layer)),
        )
        .route(
            "/v1/workflows/{id}/sse",
            options(streams::workflows::options).layer(from_fn(cors::layer)),
        )
        .route("/workflows/{id}/sse", workflow_stream())
        .route("/v1/pipelines/{id}/sse", workflow_stream())
        .route("/pipelines/{id}/sse", workflow_stream())
        .fallback(async move |method: Method, uri: Uri, headers: HeaderMap| {
            console.respond(&method, &uri, &headers).await
        })
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed.into_response())
        .route_layer(from_fn(request_span::record_route))
        .layer(SetResponseHeaderLayer::overriding(
            X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        // A response may hold secrets of its user. Files of the console have their own header.
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .with_state(state)
}

/// Writing the document takes longer than the rest of the router, and most servers are never asked for it.
async fn document() -> impl IntoResponse {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| openapi().to_string());
    let content_type = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, content_type)], DOCUMENT.as_str())
}

fn workflow_stream() -> MethodRouter<ServerState> {
    get(streams::workflows::sends)
        .options(streams::workflows::options)
        .layer(from_fn(cors::layer))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Value;

    #[test]
    fn every_operation_has_an_id_of_its_own_and_every_reference_a_target() {
        let document = super::openapi();
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
