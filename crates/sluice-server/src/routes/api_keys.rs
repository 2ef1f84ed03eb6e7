//! Named API keys of the current user.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use http::StatusCode;
use sluice_api::{
    CreateNamedKey, CreatedNamedKey, Data, FieldQuery, KeyScope, List, NamedKey, PageQuery,
};
use sluice_app::{App, Listing, NewKey};
use sluice_model::{Cursor, Scope, Scopes};
use sluice_store::api_keys;

use super::{dates::epoch_seconds, user_fields::required};
use crate::{
    actor::{Author, actor_of},
    auth::{AuthUser, Caller},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::ApiKeyPath,
    query::Query,
    reply,
    wrong_keys::ClientAddress,
};

/// The longest name of a key, in characters.
const MAX_NAME: usize = 100;

/// Create a named key
///
/// The key is shown only in this response. A named key can create keys with its own scopes only, and none that last longer.
#[utoipa::path(post, path = "/users/me/keys", tag = "users", operation_id = "createKey", params(FieldQuery),
    request_body = CreateNamedKey,
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The key", body = Data<CreatedNamedKey>), ApiErrors))]
pub(crate) async fn create(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateNamedKey>,
) -> Result<Response, ApiError> {
    let CreateNamedKey {
        name,
        scopes,
        expires_in,
    } = parameters;
    let name = required("name", name.as_deref())?;
    if name.chars().count() > MAX_NAME {
        return Err(ApiError::BadRequest(format!(
            "name must be at most {MAX_NAME} characters long"
        )));
    }
    let scopes = scopes.ok_or_else(|| ApiError::bad_request("scopes is required"))?;
    let scopes: Scopes = scopes.into_iter().map(Scope::from).collect();
    for scope in scopes.iter() {
        caller.credential.require(scope)?;
    }
    let latest = caller.credential.named_key().and_then(|key| key.expires_at);
    let actor = actor_of(&caller, Some(address));
    let new = NewKey {
        name,
        scopes,
        lifetime_s: expires_in,
    };
    let (key, api_key) = app.api_keys.create(&actor, new, latest).await?;
    let created = CreatedNamedKey {
        key: on_the_wire(key),
        api_key: api_key.as_str().to_owned(),
    };
    Ok(reply::one(created, &fields))
}

/// Your named keys
///
/// Newest first, also expired ones. The main key is not among them.
#[utoipa::path(get, path = "/users/me/keys", tag = "users", operation_id = "listKeys", params(PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of named keys", body = List<NamedKey>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let Listing { total, rows } = app.api_keys.list(&user.id, page).await?;
    let position = |key: &&api_keys::NamedKey| page::cursor(key.created_at, key.id.as_str());
    let page_info = page::list(total, rows.iter().collect(), position).page_info;
    let data = rows.into_iter().map(on_the_wire).collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Delete a named key
///
/// It stops working at once, and streams that it opened end.
#[utoipa::path(delete, path = "/users/me/keys/{id}", tag = "users", operation_id = "deleteKey", params(("id" = String, Path)),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    ApiKeyPath(id): ApiKeyPath,
) -> Result<StatusCode, ApiError> {
    app.api_keys.delete(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn on_the_wire(key: api_keys::NamedKey) -> NamedKey {
    NamedKey {
        id: key.id,
        name: key.name,
        scopes: key.scopes.iter().map(KeyScope::from).collect(),
        last_characters: key.last_characters,
        created_at: epoch_seconds(key.created_at),
        expires_at: key.expires_at.map(epoch_seconds),
        last_used_at: key.last_used_at.map(epoch_seconds),
    }
}
