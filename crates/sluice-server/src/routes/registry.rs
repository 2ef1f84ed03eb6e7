//! Published components: those of an account, and those of the whole server.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{Component, Data, FieldQuery, PublishComponent};
use sluice_app::{Actor, App, PublishInput};
use sluice_infra::Infra;
use sluice_store::registry::{self, Shelf};

use crate::{
    actor::{Author, OperatorAuthor},
    auth::AuthUser,
    error::ApiError,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::ComponentPath,
    query::Query,
    routes::components::{answer, code_input, found_answer, parse_id},
};

/// Publish a component into your account
///
/// It needs a key, of letters, digits, `-` and `_`, and a version that is not published yet.
#[utoipa::path(post, path = "/components/published", tag = "components", operation_id = "publishToAccount",
    request_body = PublishComponent,
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The component", body = Data<Component>), ApiErrors))]
pub(crate) async fn publish_to_account(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    body: JsonBody<PublishComponent>,
) -> Result<Response, ApiError> {
    let shelf = Shelf::Account(actor.user_id.clone());
    publish_on(&app, &actor, shelf, body).await
}

/// Remove every version of a key from your account
///
/// Sources and workflows that use them keep running.
#[utoipa::path(delete, path = "/components/published/{key}", tag = "components", operation_id = "unpublishFromAccount",
    params(("key" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Unpublished"), ApiErrors))]
pub(crate) async fn unpublish_from_account(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    ComponentPath(key): ComponentPath,
) -> Result<StatusCode, ApiError> {
    let shelf = Shelf::Account(actor.user_id.clone());
    app.components.unpublish(&actor, shelf, key).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A component of the registry, by key
///
/// The newest version. Its packages are not installed.
#[utoipa::path(get, path = "/components/registry/{key}", tag = "components", operation_id = "getPublishedComponent",
    params(("key" = String, Path), FieldQuery),
    responses((status = 200, description = "The component", body = Data<Component>), ApiErrors))]
pub(crate) async fn get(
    _: AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    ComponentPath(key): ComponentPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = infra
        .store
        .read(move |c| registry::newest(c, &Shelf::Server, &key));
    found_answer(&app, found.await?, &fields).await
}

/// Publish a component to the registry
///
/// It needs a key of the form `<app>-<name>`, where the app is one of its props if it has any, and a semantic version that is not
/// published yet. For the operator only. For other users this path does not exist.
#[utoipa::path(post, path = "/components/registry", tag = "components", operation_id = "publishComponent",
    request_body = PublishComponent,
    responses((status = 200, description = "The component", body = Data<Component>), ApiErrors))]
pub(crate) async fn publish(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    body: JsonBody<PublishComponent>,
) -> Result<Response, ApiError> {
    publish_on(&app, &actor, Shelf::Server, body).await
}

/// Remove every version of a key from the registry
///
/// Sources and workflows that use them keep running. For the operator only. For other users this path does not exist.
#[utoipa::path(delete, path = "/components/registry/{key}", tag = "components", operation_id = "unpublishComponent",
    params(("key" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Unpublished"), ApiErrors))]
pub(crate) async fn unpublish(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    ComponentPath(key): ComponentPath,
) -> Result<StatusCode, ApiError> {
    app.components.unpublish(&actor, Shelf::Server, key).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn publish_on(
    app: &App,
    actor: &Actor,
    shelf: Shelf,
    JsonBody { parameters, fields }: JsonBody<PublishComponent>,
) -> Result<Response, ApiError> {
    let PublishComponent {
        component_id,
        component_code: code,
        component_files,
        component_url: url,
    } = parameters;
    let what = match component_id {
        Some(id) => PublishInput::Saved(parse_id(&id)?),
        None if code.is_some() || url.is_some() => {
            PublishInput::Code(code_input(code, component_files, url))
        }
        None => {
            return Err(ApiError::bad_request(
                "one of component_id, component_code and component_url is required",
            ));
        }
    };
    let component = app.components.publish(actor, shelf, what).await?;
    answer(app, component, &fields).await
}
