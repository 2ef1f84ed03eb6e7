//! The log of a source.

use axum::{extract::State, response::Response};
use sluice_api::{FieldQuery, List, LogLine, PageQuery};
use sluice_infra::Infra;
use sluice_store::{
    logs::{self, StoredLog},
    sources,
};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::SourcePath,
    query::Query,
    reply,
};

/// The log of a source, newest line first
///
/// Output of its code, and errors of its runs and hooks.
#[utoipa::path(get, path = "/sources/{id}/logs", tag = "logs", operation_id = "listLogs",
    params(("id" = String, Path), PageQuery, FieldQuery),
    responses((status = 200, description = "A page of log lines", body = List<LogLine>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourcePath(id): SourcePath,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, parse_cursor)?;
    let read = infra.store.read(move |c| {
        if sources::get(c, &user.id, &id)?.is_none() {
            return Ok(None);
        }
        let total = logs::count(c, &id)?;
        let lines = logs::page(c, &id, page.limit, page.after, page.before)?;
        Ok(Some((total, lines)))
    });
    let (total, lines) = read.await?.ok_or(ApiError::NotFound("source"))?;
    let lines = lines.into_iter().map(on_the_wire).collect();
    let list = page::list(total, lines, |line: &LogLine| line.id.clone());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A cursor is the number of a line.
fn parse_cursor(text: &str) -> Option<i64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

pub(super) fn on_the_wire(line: StoredLog) -> LogLine {
    LogLine {
        id: line.seq.to_string(),
        ts: line.ts,
        k: line.kind,
        level: line.level,
        msg: line.message,
        invocation_id: line.invocation,
    }
}
