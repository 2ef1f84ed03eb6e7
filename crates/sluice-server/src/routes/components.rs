//! Saved components, and the registry of what the operator published.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Component, CreateComponent, Data, FieldQuery, List, PageQuery, PublishComponent};
use sluice_engine::{CodeInput, Engine, Listing};
use sluice_model::{ComponentId, Cursor};
use sluice_store::{
    components,
    registry::{self, Shelf},
};

use crate::{
    auth::{AuthUser, Operator},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::ComponentPath,
    query::Query,
    reply,
    routes::epoch_seconds,
};

const COMPONENT: &str = "component";

/// Save a component
#[utoipa::path(post, path = "/components", tag = "components", operation_id = "createComponent", request_body = CreateComponent,
    responses((status = 200, body = Data<Component>), ApiErrors))]
pub(crate) async fn create(
    AuthUser(user): AuthUser,
    State(engine): State<Arc<Engine>>,
    JsonBody { parameters, fields }: JsonBody<CreateComponent>,
) -> Result<Response, ApiError> {
    let CreateComponent {
        component_code: code,
        component_url: url,
    } = parameters;
    if code.is_none() && url.is_none() {
        return Err(ApiError::bad_request(
            "one of component_code and component_url is required",
        ));
    }
    let component = engine
        .save_component(&user.id, CodeInput { code, url })
        .await?;
    Ok(reply::one(on_the_wire(component), &fields))
}

/// The components that the current user has saved
///
/// Of each key the newest one, and of each name among those without a key. The code of workflow steps is not listed.
#[utoipa::path(get, path = "/components", tag = "components", operation_id = "listComponents", params(PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, body = List<Component>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(engine): State<Arc<Engine>>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let Listing { total, rows } = engine.saved_components(&user.id, page).await?;
    // A cursor needs the exact creation time, which the item on the wire has lost.
    let page_info = page::list(total, rows.iter().collect(), |row| cursor_of(row)).page_info;
    let data = rows.into_iter().map(on_the_wire).collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A saved component, by id or by key
///
/// A key names the newest component that has it. What your sources run can be read by its id, whoever saved it.
#[utoipa::path(get, path = "/components/{key_or_id}", tag = "components", operation_id = "getComponent",
    params(("key_or_id" = String, Path), FieldQuery),
    responses((status = 200, body = Data<Component>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(engine): State<Arc<Engine>>,
    ComponentPath(key_or_id): ComponentPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = engine.store().read(move |c| {
        let by_id = match ComponentId::parse(&key_or_id) {
            Some(id) => components::readable(c, &user.id, &id)?,
            None => None,
        };
        match by_id {
            Some(component) => Ok(Some(component)),
            None => components::newest_by_key(c, &user.id, &key_or_id),
        }
    });
    answer(found.await?, &fields)
}

/// A component of the registry, by key
#[utoipa::path(get, path = "/components/registry/{key}", tag = "components", operation_id = "getPublishedComponent",
    params(("key" = String, Path), FieldQuery),
    responses((status = 200, body = Data<Component>), ApiErrors))]
pub(crate) async fn get_published(
    _: AuthUser,
    State(engine): State<Arc<Engine>>,
    ComponentPath(key): ComponentPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = engine
        .store()
        .read(move |c| registry::newest(c, &Shelf::Server, &key));
    answer(found.await?, &fields)
}

/// Publish a component to the registry
///
/// For the operator only; for everyone else this path does not exist.
#[utoipa::path(post, path = "/components/registry", tag = "components", operation_id = "publishComponent", request_body = PublishComponent,
    responses((status = 200, body = Data<Component>), ApiErrors))]
pub(crate) async fn publish(
    Operator(user): Operator,
    State(engine): State<Arc<Engine>>,
    JsonBody { parameters, fields }: JsonBody<PublishComponent>,
) -> Result<Response, ApiError> {
    let id = parameters
        .component_id
        .ok_or_else(|| ApiError::bad_request("component_id is required"))?;
    let id = parse_id(&id)?;
    let component = engine.publish_component(&user.id, &id).await?;
    Ok(reply::one(on_the_wire(component), &fields))
}

/// Text that can be no id names nothing.
pub(super) fn parse_id(text: &str) -> Result<ComponentId, ApiError> {
    ComponentId::parse(text).ok_or(ApiError::NotFound(COMPONENT))
}

fn answer(found: Option<components::Component>, fields: &FieldQuery) -> Result<Response, ApiError> {
    let component = found.ok_or(ApiError::NotFound(COMPONENT))?;
    Ok(reply::one(
        on_the_wire(component),
        &FieldSelection::new(fields),
    ))
}

fn cursor_of(component: &components::Component) -> String {
    page::cursor(component.created_at, component.id.as_str())
}

fn on_the_wire(component: components::Component) -> Component {
    Component {
        id: component.id,
        code: component.code,
        code_hash: component.code_hash,
        name: component.name,
        version: component.version,
        configurable_props: component.shape.props,
        created_at: epoch_seconds(component.created_at),
        updated_at: epoch_seconds(component.updated_at),
        key: component.key,
        kind: component.shape.kind,
    }
}
