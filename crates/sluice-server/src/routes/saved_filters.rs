//! Filters of lists that users saved.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{CreateSavedFilter, Data, FieldQuery, SavedFilter, UpdateSavedFilter};
use sluice_app::{App, FilterChange};
use sluice_store::saved_filters::{self, FilteredList};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::SavedFilterPath,
    query::Query,
    reply,
    routes::{dates::epoch_seconds, user_fields::required},
};

/// Your saved filters, by list and name
///
/// The console shows them above the lists of events, runs and log lines.
#[utoipa::path(get, path = "/saved_filters", tag = "users", operation_id = "listSavedFilters", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The filters", body = Data<Vec<SavedFilter>>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let filters = app.saved_filters.list(&user.id).await?.into_iter();
    let filters: Vec<SavedFilter> = filters.map(on_the_wire).collect();
    Ok(reply::all(&filters, &FieldSelection::new(&fields)))
}

/// Save a filter
///
/// At most 200 of one user.
#[utoipa::path(post, path = "/saved_filters", tag = "users", operation_id = "createSavedFilter", request_body = CreateSavedFilter,
    params(FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The filter", body = Data<SavedFilter>), ApiErrors))]
pub(crate) async fn create(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateSavedFilter>,
) -> Result<Response, ApiError> {
    let CreateSavedFilter {
        list,
        name,
        parameters,
    } = parameters;
    let list = required("list", list.as_deref())?;
    let list = FilteredList::parse(&list)
        .ok_or_else(|| ApiError::bad_request("list must be events, runs or logs"))?;
    let name = required("name", name.as_deref())?;
    let parameters = parameters.unwrap_or_default();
    let filter = app.saved_filters.create(&user.id, list, &name, parameters);
    Ok(reply::one(on_the_wire(filter.await?), &fields))
}

/// Rename or change a saved filter
///
/// Fields that are absent stay as they are.
#[utoipa::path(put, path = "/saved_filters/{id}", tag = "users", operation_id = "updateSavedFilter", request_body = UpdateSavedFilter,
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The filter", body = Data<SavedFilter>), ApiErrors))]
pub(crate) async fn update(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SavedFilterPath(id): SavedFilterPath,
    JsonBody { parameters, fields }: JsonBody<UpdateSavedFilter>,
) -> Result<Response, ApiError> {
    let UpdateSavedFilter { name, parameters } = parameters;
    let change = FilterChange { name, parameters };
    let filter = app.saved_filters.change(&user.id, id, change).await?;
    Ok(reply::one(on_the_wire(filter), &fields))
}

/// Delete a saved filter
///
/// The list itself is not changed.
#[utoipa::path(delete, path = "/saved_filters/{id}", tag = "users", operation_id = "deleteSavedFilter",
    params(("id" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SavedFilterPath(id): SavedFilterPath,
) -> Result<StatusCode, ApiError> {
    app.saved_filters.delete(&user.id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn on_the_wire(filter: saved_filters::SavedFilter) -> SavedFilter {
    SavedFilter {
        id: filter.id,
        list: filter.list.as_str().to_owned(),
        name: filter.name,
        parameters: filter.parameters,
        created_at: epoch_seconds(filter.created_at),
    }
}
