//! Saved components, and the search for published ones.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use sluice_api::{
    Component, ComponentFiles, ComponentScope, ComponentsQuery, CreateComponent, Data, FieldQuery,
    FoundComponents, List, PageQuery, SearchComponentsQuery,
};
use sluice_app::{
    App, CodeInput, ComponentFilter, ComponentSearch, FilesInput, ListedComponent, Listing, Scope,
};
use sluice_infra::Infra;
use sluice_model::{CodeFiles, ComponentId, Cursor};
use sluice_store::components;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::ComponentPath,
    query::Query,
    reply,
    routes::dates::epoch_seconds,
};

const COMPONENT: &str = "component";

/// Save a component
///
/// Its code is loaded once to read the name, the version and the props. A source that refers to its id runs it.
#[utoipa::path(post, path = "/components", tag = "components", operation_id = "createComponent", params(FieldQuery),
    request_body = CreateComponent,
    responses((status = 200, description = "The component", body = Data<Component>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateComponent>,
) -> Result<Response, ApiError> {
    let CreateComponent {
        component_code: code,
        component_files,
        component_url: url,
    } = parameters;
    if code.is_none() && url.is_none() {
        return Err(ApiError::bad_request(
            "one of component_code and component_url is required",
        ));
    }
    let component = app
        .components
        .save(&actor, code_input(code, component_files, url))
        .await?;
    answer(&app, component, &fields).await
}

/// The components that you saved or published, or those of the registry
///
/// Of saved components, the newest of each key, or of each name if there is no key. The code of workflow steps is not listed.
/// Of published components, the newest version of each key.
#[utoipa::path(get, path = "/components", tag = "components", operation_id = "listComponents",
    params(ComponentsQuery, PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of components", body = List<Component>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(wanted): Query<ComponentsQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let scope = match wanted.scope {
        ComponentScope::Own => Scope::Own,
        ComponentScope::Published => Scope::Published,
        ComponentScope::Registry => Scope::Registry,
    };
    let filter = ComponentFilter {
        words: wanted.q.unwrap_or_default(),
        app: wanted.app,
        kind: wanted.kind,
    };
    let Listing { total, rows } = app.components.list(&user.id, scope, filter, page).await?;
    // A cursor needs milliseconds, and the item in the response has only seconds.
    let page_info = page::list(total, rows.iter().collect(), |row| cursor_of(row)).page_info;
    let data = rows
        .into_iter()
        .map(|row| on_the_wire(row.component, row.app))
        .collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A saved component, by id or by key
///
/// A key selects the newest component with it. The components of your sources can be read by id, also those of other users.
#[utoipa::path(get, path = "/components/{key_or_id}", tag = "components", operation_id = "getComponent",
    params(("key_or_id" = String, Path), FieldQuery),
    responses((status = 200, description = "The component", body = Data<Component>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    ComponentPath(key_or_id): ComponentPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = infra.store.read(move |c| {
        let by_id = match ComponentId::parse(&key_or_id) {
            Some(id) => components::readable(c, &user.id, &id)?,
            None => None,
        };
        match by_id {
            Some(component) => Ok(Some(component)),
            None => components::newest_by_key(c, &user.id, &key_or_id),
        }
    });
    found_answer(&app, found.await?, &fields).await
}

/// Find published components
///
/// Searches your published components and the registry. An exact key comes first, then keys with this prefix, then names.
#[utoipa::path(get, path = "/components/search", tag = "components", operation_id = "searchComponents",
    params(SearchComponentsQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The keys of the components", body = FoundComponents), ApiErrors))]
pub(crate) async fn search(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(parameters): Query<SearchComponentsQuery>,
) -> Result<Response, ApiError> {
    let query = parameters.query.filter(|query| !query.trim().is_empty());
    let search = ComponentSearch {
        query: query.ok_or_else(|| ApiError::bad_request("query is required"))?,
        app: parameters.app,
        threshold: threshold(parameters.similarity_threshold.as_deref())?,
    };
    let found = app.components.search(&user.id, search).await?;
    Ok(reply::bare(&FoundComponents {
        sources: found.sources,
        actions: found.actions,
    }))
}

fn threshold(text: Option<&str>) -> Result<f64, ApiError> {
    let Some(text) = text else {
        return Ok(1.0);
    };
    let number = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| ApiError::bad_request("similarity_threshold must be a number from 0 to 1"))
}

/// A malformed id is an unknown one.
pub(super) fn parse_id(text: &str) -> Result<ComponentId, ApiError> {
    ComponentId::parse(text).ok_or(ApiError::NotFound(COMPONENT))
}

/// A component that was asked for, with its sample event.
pub(super) async fn found_answer(
    app: &App,
    found: Option<components::Component>,
    fields: &FieldQuery,
) -> Result<Response, ApiError> {
    let component = found.ok_or(ApiError::NotFound(COMPONENT))?;
    let slug = app.components.app(&component).await?;
    let sample_event = sluice_app::sample_event(&component.code);
    let component = Component {
        sample_event,
        ..on_the_wire(component, slug)
    };
    Ok(reply::one(component, &FieldSelection::new(fields)))
}

/// A component that was saved or published.
pub(super) async fn answer(
    app: &App,
    component: components::Component,
    fields: &FieldSelection,
) -> Result<Response, ApiError> {
    let slug = app.components.app(&component).await?;
    Ok(reply::one(on_the_wire(component, slug), fields))
}

fn cursor_of(row: &ListedComponent) -> String {
    page::cursor(row.rank, row.component.id.as_str())
}

/// The code of a request.
pub(super) fn code_input(
    code: Option<String>,
    files: Option<ComponentFiles>,
    url: Option<String>,
) -> CodeInput {
    let files = files.map(|ComponentFiles { path, files }| FilesInput { path, files });
    CodeInput { code, url, files }
}

pub(super) fn files_on_the_wire(CodeFiles { entry, others }: &CodeFiles) -> Option<ComponentFiles> {
    let others = others.iter();
    let texts = others.map(|file| (file.link.location.clone(), file.text.to_string()));
    let files: BTreeMap<String, String> = texts.collect();
    (!files.is_empty()).then(|| ComponentFiles {
        path: entry.link.location.clone(),
        files,
    })
}

fn on_the_wire(component: components::Component, app: Option<String>) -> Component {
    Component {
        id: component.id,
        files: files_on_the_wire(&component.code),
        code: component.code.entry.text.to_string(),
        code_hash: component.code_hash,
        name: component.name,
        version: component.version,
        description: component.shape.description,
        configurable_props: component.shape.props,
        created_at: epoch_seconds(component.created_at),
        updated_at: epoch_seconds(component.updated_at),
        key: component.key,
        kind: component.shape.kind,
        app,
        sample_event: None,
    }
}
