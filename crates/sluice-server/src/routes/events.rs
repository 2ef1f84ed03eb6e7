//! The events of a source: list and delete.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{DeleteEventsQuery, EventSummary, EventsQuery, FieldQuery, List, PageQuery};
use sluice_app::{App, EventRange};
use sluice_infra::Infra;
use sluice_model::EventId;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::PageRequest,
    path::SourcePath,
    query::Query,
    reply,
    routes::{
        event_list::{self, EventSelection, Rows},
        event_parameters::{must_be_in_order, parse_bound, parse_expand},
        search_parameters::parse_search,
    },
};

/// The newest events of a source
///
/// At most the newest 100, on any number of pages; `total_count` counts all stored events. With `q`, `since` or `until`, all
/// stored events are searched. A request searches for a limited time; `searched_to` of `page_info` is where to search on.
#[utoipa::path(get, path = "/sources/{id}/event_summaries", tag = "events", operation_id = "listEventSummaries",
    params(("id" = String, Path), PageQuery, EventsQuery, FieldQuery),
    responses((status = 200, description = "A page of events", body = List<EventSummary>), ApiErrors))]
pub(crate) async fn summaries(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourcePath(id): SourcePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<EventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let selection = EventSelection {
        page: PageRequest::parse(&page, EventId::parse)?,
        search: parse_search(
            query.q.as_deref(),
            query.since.as_deref(),
            query.until.as_deref(),
        )?,
        detail: parse_expand(query.expand.as_deref())?,
        rows: Rows::parse(query.event_name)?,
    };
    let list = event_list::read(&infra, &user.id, &id, selection).await?;
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Delete events of a source
///
/// Without bounds all events, with one bound the events from it to the end, with both the range. Bounds are inclusive.
#[utoipa::path(delete, path = "/sources/{id}/events", tag = "events", operation_id = "deleteEvents",
    params(("id" = String, Path), DeleteEventsQuery),
    responses((status = 202, description = "The events will be deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    Query(query): Query<DeleteEventsQuery>,
) -> Result<StatusCode, ApiError> {
    let start = parse_bound("start_id", query.start_id.as_deref())?;
    let end = parse_bound("end_id", query.end_id.as_deref())?;
    match Rows::parse(query.event_name)? {
        Rows::Events(channel) => {
            must_be_in_order(start, end)?;
            let range = EventRange {
                start,
                end,
                channel,
            };
            app.sources.delete_events(&actor, &id, range).await?;
        }
        Rows::Logs => {
            let (start, end) = (start.map(|id| id.seq), end.map(|id| id.seq));
            must_be_in_order(start, end)?;
            app.sources.delete_logs(&actor, &id, start, end).await?;
        }
    }
    Ok(StatusCode::ACCEPTED)
}
