//! The sessions of the current user: list and end.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use http::StatusCode;
use sluice_api::{FieldQuery, List, ListedSession, PageQuery};
use sluice_app::{App, Listing};
use sluice_model::{Cursor, SessionId};
use sluice_store::sessions::Session;

use super::dates::epoch_seconds;
use crate::{
    actor::{Author, actor_of},
    auth::Caller,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::SessionPath,
    query::Query,
    reply,
    wrong_keys::ClientAddress,
};

/// Your sessions
///
/// Browsers that are signed in to the console, newest first.
#[utoipa::path(get, path = "/users/me/sessions", tag = "sessions", operation_id = "listSessions", params(PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of sessions", body = List<ListedSession>), ApiErrors))]
pub(crate) async fn list(
    Caller { user, credential }: Caller,
    State(app): State<Arc<App>>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let Listing { total, rows } = app.sessions.list(&user.id, page).await?;
    let position = |session: &&Session| page::cursor(session.created_at, session.id.as_str());
    let page_info = page::list(total, rows.iter().collect(), position).page_info;
    let current = credential.session();
    let data = rows
        .into_iter()
        .map(|session| on_the_wire(session, current))
        .collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// End a session
///
/// Its cookie is no longer valid.
#[utoipa::path(delete, path = "/users/me/sessions/{id}", tag = "sessions", operation_id = "endSession",
    params(("id" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Ended"), ApiErrors))]
pub(crate) async fn end(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SessionPath(id): SessionPath,
) -> Result<StatusCode, ApiError> {
    app.sessions.end(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// End all other sessions
///
/// With an API key all sessions end.
#[utoipa::path(delete, path = "/users/me/sessions", tag = "sessions", operation_id = "endOtherSessions",
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Ended"), ApiErrors))]
pub(crate) async fn end_others(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
) -> Result<StatusCode, ApiError> {
    let current = caller.credential.session().cloned();
    let actor = actor_of(&caller, Some(address));
    app.sessions.end_others(&actor, current).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn on_the_wire(session: Session, current: Option<&SessionId>) -> ListedSession {
    ListedSession {
        current: Some(&session.id) == current,
        id: session.id,
        created_at: epoch_seconds(session.created_at),
        last_used_at: epoch_seconds(session.used_at),
        expires_at: epoch_seconds(session.expires_at),
        user_agent: session.user_agent,
        address: session.address,
    }
}
