//! The list of a source's events for older clients.

use axum::{extract::State, response::Response};
use sluice_api::{EventSummary, FieldQuery, List, OlderEvent, OlderEventsQuery, PageQuery};
use sluice_infra::Infra;
use sluice_model::EventId;

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest, parse_limit},
    path::SourcePath,
    query::Query,
    reply,
    routes::{
        event_list::{self, EventSelection, Rows},
        event_parameters::parse_expand,
        summary::Detail,
    },
};

/// The newest events of a source, for older clients
///
/// Like `event_summaries`, with whole events and other field names. `page_info` has no cursors, because clients of this list ask for
/// one page only. For more, `after` and `before` take the id of an event.
#[utoipa::path(get, path = "/sources/{id}/events", tag = "events", operation_id = "listEvents",
    params(("id" = String, Path), PageQuery, OlderEventsQuery, FieldQuery),
    responses((status = 200, description = "A page of events", body = List<OlderEvent>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourcePath(id): SourcePath,
    Query(mut page): Query<PageQuery>,
    Query(query): Query<OlderEventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    parse_expand(query.expand.as_deref())?;
    if let Some(n) = query.n {
        parse_limit("n", Some(&n))?;
        page.limit = Some(n);
    }
    let selection = EventSelection {
        rows: Rows::parse(query.event_name)?,
        page: PageRequest::parse(&page, EventId::parse)?,
        search: None,
        detail: Detail::Whole,
    };
    let page = event_list::read(&infra, &user.id, &id, selection).await?;
    let events = page.data.into_iter().map(as_older).collect();
    let list = page::list_without_cursors(page.page_info.total_count, events);
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

fn as_older(summary: EventSummary) -> OlderEvent {
    let EventSummary {
        id,
        indexed_at_ms,
        event,
        metadata,
    } = summary;
    OlderEvent {
        id,
        k: "emit".to_owned(),
        ts: indexed_at_ms,
        e: event,
        metadata,
    }
}
