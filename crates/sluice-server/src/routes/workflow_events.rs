//! The events of a workflow, and its errors.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{EventSummary, EventsQuery, FieldQuery, List, PageQuery};
use sluice_app::App;
use sluice_infra::Infra;
use sluice_model::{EventId, UserId};
use sluice_store::{events::ChannelFilter, routes::ERROR_CHANNEL};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::PageRequest,
    path::WorkflowNamePath,
    query::Query,
    reply,
    routes::{
        event_list::{self, EventSelection, Rows},
        event_parameters::parse_expand,
        search_parameters::parse_search,
    },
};

/// The newest events that a workflow emitted
///
/// At most the newest 100, as for sources, unless `q`, `since` or `until` is given.
#[utoipa::path(get, path = "/workflows/{id}/event_summaries", tag = "events", operation_id = "listWorkflowEventSummaries",
    params(("id" = String, Path), PageQuery, EventsQuery, FieldQuery),
    responses((status = 200, description = "A page of events", body = List<EventSummary>), ApiErrors))]
pub(crate) async fn summaries(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<EventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let rows = Rows::parse(query.event_name.clone())?;
    let selection = select(rows, &page, &query)?;
    list_page(&app, &infra, &user.id, &id, selection, &fields).await
}

/// The newest errors of a workflow
///
/// The events of its channel `$errors`, as those of other channels.
#[utoipa::path(get, path = "/workflows/{id}/$errors/event_summaries", tag = "events", operation_id = "listWorkflowErrors",
    params(("id" = String, Path), PageQuery, EventsQuery, FieldQuery),
    responses((status = 200, description = "A page of errors", body = List<EventSummary>), ApiErrors))]
pub(crate) async fn errors(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<EventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let rows = Rows::Events(ChannelFilter::One(ERROR_CHANNEL.to_owned()));
    let selection = select(rows, &page, &query)?;
    list_page(&app, &infra, &user.id, &id, selection, &fields).await
}

fn select(rows: Rows, page: &PageQuery, query: &EventsQuery) -> Result<EventSelection, ApiError> {
    Ok(EventSelection {
        page: PageRequest::parse(page, EventId::parse)?,
        search: parse_search(
            query.q.as_deref(),
            query.since.as_deref(),
            query.until.as_deref(),
        )?,
        detail: parse_expand(query.expand.as_deref())?,
        rows,
    })
}

async fn list_page(
    app: &App,
    infra: &Infra,
    user: &UserId,
    id: &str,
    selection: EventSelection,
    fields: &FieldQuery,
) -> Result<Response, ApiError> {
    let workflow = app.workflows.id(user, id).await?;
    let list = event_list::read(infra, user, &workflow, selection).await?;
    Ok(reply::many(list, &FieldSelection::new(fields)))
}
