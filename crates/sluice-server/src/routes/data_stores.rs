//! Data stores: list and delete. Only components read and write their entries.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{DataStore, FieldQuery, List, PageQuery};
use sluice_app::{App, Listing};
use sluice_store::data_stores::{self, NamePage};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::DataStorePath,
    query::Query,
    reply,
    routes::dates::epoch_seconds,
};

/// The data stores of the current user, by name
///
/// With the number of keys and the size of each.
#[utoipa::path(get, path = "/data_stores", tag = "data stores", operation_id = "listDataStores", params(PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of data stores", body = List<DataStore>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let PageRequest {
        limit,
        after,
        before,
    } = PageRequest::parse(&page, parse_cursor)?;
    let page = NamePage {
        limit,
        after,
        before,
    };
    let Listing { total, rows } = app.data_stores.list(&user.id, page).await?;
    let stores = rows.into_iter().map(on_the_wire).collect();
    let list = page::list(total, stores, |store: &DataStore| store.name.clone());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Delete a data store and everything in it
///
/// A component that still uses it gets an empty store.
#[utoipa::path(delete, path = "/data_stores/{name}", tag = "data stores", operation_id = "deleteDataStore",
    params(("name" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    DataStorePath(name): DataStorePath,
) -> Result<StatusCode, ApiError> {
    app.data_stores.delete(&actor, name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A cursor is the name of a store.
fn parse_cursor(text: &str) -> Option<String> {
    (!text.is_empty() && !text.contains('\0')).then(|| text.to_owned())
}

fn on_the_wire(store: data_stores::DataStore) -> DataStore {
    DataStore {
        name: store.name,
        keys: store.entries,
        bytes: store.bytes,
        created_at: epoch_seconds(store.created_at),
        updated_at: epoch_seconds(store.updated_at),
    }
}
