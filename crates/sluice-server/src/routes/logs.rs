//! The log of a source.

use axum::{extract::State, response::Response};
use sluice_api::{FieldQuery, List, LogLine, LogsQuery, PageQuery};
use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::{
    Store, StoreError, kept_rows,
    logs::{self, StoredLog},
    search::Matches,
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
    routes::{event_list::must_exist, event_search::find_logs, search_parameters::parse_search},
};

/// The log of a source, newest line first
///
/// Output of its code, and errors of its runs and hooks. With `q`, `since` or `until`, all stored lines are searched. A request
/// searches for a limited time; `searched_to` of `page_info` is where to search on.
#[utoipa::path(get, path = "/sources/{id}/logs", tag = "logs", operation_id = "listLogs",
    params(("id" = String, Path), PageQuery, LogsQuery, FieldQuery),
    responses((status = 200, description = "A page of log lines", body = List<LogLine>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourcePath(id): SourcePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<LogsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, parse_cursor)?;
    let LogsQuery { q, since, until } = query;
    let search = parse_search(q.as_deref(), since.as_deref(), until.as_deref())?;
    let emitter = id.into();
    must_exist(&infra, &user.id, &emitter).await?;
    let list = match search {
        None => {
            let (total, lines) = newest(&infra.store, emitter, page).await?;
            page::list(total, on_the_wire_all(lines), cursor)
        }
        Some(search) => {
            let found = find_logs(&infra.store, &emitter, search, page).await?;
            let Matches { rows, searched_to } = found;
            let searched_to = searched_to.map(|seq| seq.to_string());
            page::matches(on_the_wire_all(rows), searched_to, cursor)
        }
    };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

async fn newest(
    store: &Store,
    emitter: EmitterId,
    page: PageRequest<i64>,
) -> Result<(u64, Vec<StoredLog>), StoreError> {
    let read = store.read(move |c| {
        let total = kept_rows::logs(c, &emitter)?;
        let lines = logs::page(c, &emitter, page.limit, page.after, page.before)?;
        Ok((total, lines))
    });
    read.await
}

fn on_the_wire_all(lines: Vec<StoredLog>) -> Vec<LogLine> {
    lines.into_iter().map(on_the_wire).collect()
}

fn cursor(line: &LogLine) -> String {
    line.id.clone()
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
