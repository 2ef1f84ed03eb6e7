//! The audit log.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::value::RawValue;
use sluice_api::{AuditActor, AuditEntry, AuditQuery, AuditTarget, FieldQuery, List, PageQuery};
use sluice_app::{App, Listing};
use sluice_model::{Cursor, UserId};
use sluice_store::{
    audit::{self, AuditFilter, Existing},
    users::User,
};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    instant,
    openapi::ApiErrors,
    page::{self, PageRequest},
    query::Query,
    reply,
    routes::text_parameters::{search_text, without_nul},
};

/// The audit log, newest first
///
/// Changes of your own account. Operators can list those of another account, or of all accounts.
#[utoipa::path(get, path = "/audit", tag = "audit", operation_id = "listAuditEntries",
    params(AuditQuery, PageQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of changes", body = List<AuditEntry>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(query): Query<AuditQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let filter = parse(&user, query)?;
    let (Listing { total, rows }, existing) = app.audit.list(filter, page).await?;
    let page_info = page::list(total, rows.iter().collect(), |row| cursor_of(row)).page_info;
    let data: Result<_, _> = rows
        .into_iter()
        .map(|entry| on_the_wire(entry, &existing))
        .collect();
    let list = List {
        page_info,
        data: data?,
    };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

fn parse(caller: &User, query: AuditQuery) -> Result<AuditFilter, ApiError> {
    let time =
        |name: &str, text: Option<String>| text.map(|text| instant::parse(name, &text)).transpose();
    let filled = |name: &str, text: Option<String>| {
        without_nul(name, text).map(|text| text.filter(|text| !text.is_empty()))
    };
    Ok(AuditFilter {
        user: account(caller, query.scope.as_deref(), query.user.as_deref())?,
        action: filled("action", query.action)?,
        actor: filled("actor", query.actor)?,
        target: filled("target", query.target)?,
        text: search_text(query.q)?,
        since: time("since", query.since)?,
        until: time("until", query.until)?,
    })
}

/// The account whose entries are listed; none for all accounts.
fn account(
    caller: &User,
    scope: Option<&str>,
    user: Option<&str>,
) -> Result<Option<UserId>, ApiError> {
    let own = || Some(caller.id.clone());
    match (scope, user) {
        (Some(_), Some(_)) => Err(ApiError::bad_request("give scope or user, not both")),
        (None | Some("own"), None) => Ok(own()),
        (Some("all"), None) if caller.operator => Ok(None),
        (Some("all"), None) => Err(ApiError::bad_request(
            "scope=all is for operators: leave it out to list your own account",
        )),
        (Some(_), None) => Err(ApiError::bad_request("scope must be \"own\" or \"all\"")),
        // Deleted users still have entries, so the id is not looked up.
        (None, Some(id)) => match UserId::parse(id) {
            Some(id) if caller.operator || id == caller.id => Ok(Some(id)),
            _ => Err(ApiError::NotFound("user")),
        },
    }
}

fn cursor_of(entry: &audit::AuditEntry) -> String {
    page::cursor(entry.created_at, entry.id.as_str())
}

fn on_the_wire(entry: audit::AuditEntry, existing: &Existing) -> Result<AuditEntry, ApiError> {
    let username = existing.account(&entry).map(str::to_owned);
    let exists = existing.target(&entry);
    let credential_name = existing.key(&entry).map(str::to_owned);
    let details = RawValue::from_string(entry.details)
        .map_err(|error| ApiError::internal("the stored audit entry is corrupt", error))?;
    Ok(AuditEntry {
        id: entry.id,
        at: entry.created_at,
        user_id: entry.user_id,
        username,
        actor: AuditActor {
            id: entry.actor.id,
            name: entry.actor.name,
            credential: entry.actor.credential.as_str().to_owned(),
            credential_id: entry.actor.credential_id,
            credential_name,
            address: entry.actor.address,
        },
        action: entry.action.as_str().to_owned(),
        target: AuditTarget {
            kind: entry.target.kind.as_str().to_owned(),
            id: entry.target.id,
            name: entry.target.name,
            exists,
        },
        details,
    })
}
