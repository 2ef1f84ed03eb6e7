//! The table of everything that has a path of its own. Endpoints of sources are not in it: [`crate::ingress`] takes those.

use std::sync::Arc;

use axum::{
    Router,
    response::IntoResponse,
    routing::{MethodRouter, any, get, options},
};
use http::{HeaderMap, HeaderValue, Method, Uri, header::CONTENT_TYPE};
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    console::Console,
    error::ApiError,
    ingress::callback,
    openapi::Description,
    routes::{
        accounts, activity, apps, components, connect, data_stores, deliveries, events, flow,
        forms, imports, logs, older_events, one_event, operations, registry, replay, runs, server,
        session, signup, sources, streams, subscriptions, uploads, user_admin, users, webhooks,
        workflow_events, workflow_versions, workflows,
    },
    state::ServerState,
};

/// The API, with its description.
pub(crate) fn described() -> OpenApiRouter<ServerState> {
    let v1 = OpenApiRouter::new()
        .routes(routes!(
            session::sign_in,
            session::current,
            session::sign_out
        ))
        .routes(routes!(users::me))
        .routes(routes!(users::rotate_key))
        .routes(routes!(activity::get))
        .routes(routes!(activity::overview))
        .routes(routes!(user_admin::create, user_admin::list))
        .routes(routes!(user_admin::delete))
        .routes(routes!(user_admin::rotate_key))
        .routes(routes!(signup::sign_up))
        .routes(routes!(components::create, components::list))
        .routes(routes!(components::get))
        .routes(routes!(components::search))
        .routes(routes!(registry::get, registry::unpublish))
        .routes(routes!(registry::publish))
        .routes(routes!(registry::publish_to_account))
        .routes(routes!(registry::unpublish_from_account))
        .routes(routes!(imports::import))
        .routes(routes!(imports::list))
        .routes(routes!(forms::options))
        .routes(routes!(forms::props))
        .routes(routes!(sources::create))
        .routes(routes!(sources::list))
        .routes(routes!(sources::get, sources::update, sources::delete))
        .routes(routes!(sources::run))
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
        .routes(routes!(deliveries::get))
        .routes(routes!(deliveries::replay))
        .routes(routes!(deliveries::replay_all))
        .routes(routes!(server::get))
        .routes(routes!(flow::get))
        .routes(routes!(streams::events))
        .routes(routes!(streams::emits))
        .routes(routes!(streams::observations))
        .routes(routes!(streams::workflows::sends))
        .routes(routes!(streams::traffic::follow))
        .routes(routes!(apps::register, apps::list))
        .routes(routes!(apps::get, apps::remove))
        .routes(routes!(accounts::create, accounts::list))
        .routes(routes!(accounts::get, accounts::update, accounts::delete))
        .routes(routes!(accounts::uses))
        .routes(routes!(connect::begin))
        .routes(routes!(connect::status))
        .routes(routes!(data_stores::list))
        .routes(routes!(data_stores::delete))
        .routes(routes!(workflows::create, workflows::list))
        .routes(routes!(workflows::schema))
        .routes(routes!(
            workflows::get,
            workflows::update,
            workflows::delete
        ))
        .routes(routes!(workflows::run))
        .routes(routes!(workflow_versions::list))
        .routes(routes!(workflow_versions::get))
        .routes(routes!(workflow_versions::roll_back))
        .routes(routes!(runs::list))
        .routes(routes!(runs::replay_many))
        .routes(routes!(runs::get))
        .routes(routes!(runs::replay))
        .routes(routes!(workflow_events::summaries))
        .routes(routes!(one_event::of_workflow))
        .routes(routes!(workflow_events::errors));
    OpenApiRouter::with_openapi(Description::openapi()).nest("/v1", v1)
}

/// Everything, ready to serve.
pub(crate) fn router(state: ServerState) -> Router {
    let (api, description) = described().split_for_parts();
    let description =
        serde_json::to_string(&description).expect("the description has only text for keys");
    let content_type = HeaderValue::from_static("application/json");
    let description = ([(CONTENT_TYPE, content_type)], description);
    let console = Arc::new(Console::new(state.infra.settings.console_dir.clone()));
    api.route("/healthz", get(operations::healthz))
        .route("/metrics", get(operations::metrics))
        .route("/openapi.json", get(async move || description.clone()))
        .route("/uploads/{id}", get(uploads::get))
        .route("/oauth/callback", get(connect::callback))
        // Streams are known by these addresses too.
        .route("/sources/{id}/sse", get(streams::events))
        .route("/sse/dc/{id}/emits", get(streams::events))
        .route("/sse/dc/{id}/observations", get(streams::observations))
        // Some clients write `$` like this.
        .route(
            "/v1/workflows/{id}/%24errors/event_summaries",
            get(workflow_events::errors),
        )
        .route("/workflows/schema.json", get(workflows::schema))
        .route("/workflows/resume/{key}", any(callback::resume))
        .route("/workflows/cancel/{key}", any(callback::cancel))
        .route(
            "/v1/workflows/{id}/sse",
            options(streams::workflows::preflight),
        )
        .route("/workflows/{id}/sse", stream_of_workflow())
        .route("/v1/pipelines/{id}/sse", stream_of_workflow())
        .route("/pipelines/{id}/sse", stream_of_workflow())
        .fallback(async move |method: Method, uri: Uri, headers: HeaderMap| {
            console.answer(&method, uri.path(), &headers).await
        })
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed.into_response())
        .with_state(state)
}

fn stream_of_workflow() -> MethodRouter<ServerState> {
    get(streams::workflows::sends).options(streams::workflows::preflight)
}
