//! One event of a source or a workflow, whole.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, EventSummary, FieldQuery};
use sluice_app::App;
use sluice_infra::Infra;
use sluice_model::{EmitterId, EventId, UserId};
use sluice_store::{events, logs};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    path::{SourceEventPath, WorkflowEventPath},
    query::Query,
    reply,
    routes::{
        event_list::must_exist,
        log_summary::{log_id, summarise_log},
        summary::{Detail, summarise},
    },
};

/// An event of a source
///
/// Whole, of any size and in any channel, also `$errors` and `$logs`.
#[utoipa::path(get, path = "/sources/{id}/events/{event_id}", tag = "events", operation_id = "getEvent",
    params(("id" = String, Path), ("event_id" = String, Path), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The event", body = Data<EventSummary>), ApiErrors))]
pub(crate) async fn of_source(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourceEventPath(source, event): SourceEventPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let summary = read(&infra, &user.id, source.into(), event).await?;
    Ok(reply::one(summary, &FieldSelection::new(&fields)))
}

/// An event of a workflow
///
/// Whole, of any size and in any channel.
#[utoipa::path(get, path = "/workflows/{id}/events/{event_id}", tag = "events", operation_id = "getWorkflowEvent",
    params(("id" = String, Path), ("event_id" = String, Path), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The event", body = Data<EventSummary>), ApiErrors))]
pub(crate) async fn of_workflow(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    WorkflowEventPath(workflow, event): WorkflowEventPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let workflow = app.workflows.id(&user.id, &workflow).await?;
    let summary = read(&infra, &user.id, workflow.into(), event).await?;
    Ok(reply::one(summary, &FieldSelection::new(&fields)))
}

async fn read(
    infra: &Infra,
    user: &UserId,
    emitter: EmitterId,
    id: EventId,
) -> Result<EventSummary, ApiError> {
    must_exist(infra, user, &emitter).await?;
    let of = emitter.clone();
    let found = infra.store.read(move |c| {
        let event = events::get(c, &of, id)?;
        let line = match event {
            Some(_) => None,
            None => logs::get(c, &of, id.seq)?,
        };
        Ok((event, line))
    });
    match found.await? {
        (Some(event), _) => summarise(&emitter, event, Detail::Whole),
        (None, Some(line)) if log_id(&line) == id => Ok(summarise_log(&emitter, line)),
        (None, _) => Err(ApiError::NotFound("event")),
    }
}
