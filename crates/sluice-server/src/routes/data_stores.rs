//! Data stores: list and delete. Only components read and write their entries.

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{DataStore, FieldQuery, List, PageQuery};
use sluice_infra::Infra;
use sluice_store::data_stores::{self, NamePage, StoreRef};

use crate::{
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
#[utoipa::path(get, path = "/data_stores", tag = "data stores", operation_id = "listDataStores", params(PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, body = List<DataStore>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
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
    let now_ms = infra.now_ms();
    let read = infra.store.read(move |c| {
        let total = data_stores::count(c, &user.id)?;
        Ok((total, data_stores::list(c, &user.id, &page, now_ms)?))
    });
    let (total, rows) = read.await?;
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
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    DataStorePath(name): DataStorePath,
) -> Result<StatusCode, ApiError> {
    let removed = infra.store.write(move |c| {
        let store = StoreRef {
            user: &user.id,
            name: &name,
        };
        data_stores::remove(c, store)
    });
    if removed.await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound("data store"))
    }
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
