//! Events for runs by hand: those that users saved by name, and the last request of a source.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use serde_json::value::RawValue;
use sluice_api::{Data, FieldQuery, LastRequest, SaveEvent, SavedEvent};
use sluice_app::{App, EmitterName};
use sluice_model::UserId;
use sluice_store::{last_requests, saved_events};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    one_line::on_one_line,
    openapi::ApiErrors,
    path::{SavedEventPath, SourceNamePath, WorkflowNamePath},
    query::Query,
    reply,
    routes::dates::epoch_seconds,
};

/// The events that were saved for a source, by name
///
/// In one list, without pages: there are 50 at most.
#[utoipa::path(get, path = "/sources/{id}/saved_events", tag = "sources", operation_id = "listSavedEvents",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The events", body = Data<Vec<SavedEvent>>), ApiErrors))]
pub(crate) async fn list_of_source(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourceNamePath(id): SourceNamePath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    list(&app, &user.id, EmitterName::Source(&id), &fields).await
}

/// Save an event for runs of a source
///
/// One of the same name is replaced. A name has up to 100 characters, an event up to 64 KiB, and a source up to 50 of them.
#[utoipa::path(put, path = "/sources/{id}/saved_events/{name}", tag = "sources", operation_id = "saveEvent",
    params(("id" = String, Path), ("name" = String, Path, description = "The name of a saved event"), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), request_body = SaveEvent,
    responses((status = 200, description = "The saved event", body = Data<SavedEvent>), ApiErrors))]
pub(crate) async fn save_of_source(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SavedEventPath(id, name): SavedEventPath,
    JsonBody { parameters, fields }: JsonBody<SaveEvent>,
) -> Result<Response, ApiError> {
    let event = required(parameters)?;
    let saved = &app.saved_events;
    let saved = saved.save(&actor, EmitterName::Source(&id), &name, event);
    Ok(reply::one(on_the_wire(saved.await?)?, &fields))
}

/// Delete a saved event of a source
///
/// Runs that were started with it are not changed.
#[utoipa::path(delete, path = "/sources/{id}/saved_events/{name}", tag = "sources", operation_id = "deleteSavedEvent",
    params(("id" = String, Path), ("name" = String, Path, description = "The name of a saved event")),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete_of_source(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SavedEventPath(id, name): SavedEventPath,
) -> Result<StatusCode, ApiError> {
    let saved = &app.saved_events;
    saved.delete(&actor, EmitterName::Source(&id), name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The last HTTP request of a source
///
/// To run the source with it again. A request is stored with its outcome, one in ten seconds at most, and up to 64 KiB.
/// Without one, the response has no event.
#[utoipa::path(get, path = "/sources/{id}/last_request", tag = "sources", operation_id = "getLastRequest",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The request", body = Data<LastRequest>), ApiErrors))]
pub(crate) async fn last_request(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourceNamePath(id): SourceNamePath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = app.saved_events.last_request(&user.id, &id).await?;
    let request = match found {
        Some(last_requests::LastRequest { event, at }) => LastRequest {
            event: Some(raw(event)?),
            at: Some(at),
        },
        None => LastRequest::default(),
    };
    Ok(reply::one(request, &FieldSelection::new(&fields)))
}

/// The events that were saved for a workflow, by name
///
/// In one list, without pages: there are 50 at most.
#[utoipa::path(get, path = "/workflows/{id}/saved_events", tag = "workflows", operation_id = "listSavedEventsOfWorkflow",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The events", body = Data<Vec<SavedEvent>>), ApiErrors))]
pub(crate) async fn list_of_workflow(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    list(&app, &user.id, EmitterName::Workflow(&id), &fields).await
}

/// Save an event for runs of a workflow
///
/// One of the same name is replaced. A name has up to 100 characters, an event up to 64 KiB, and a workflow up to 50 of them.
#[utoipa::path(put, path = "/workflows/{id}/saved_events/{name}", tag = "workflows", operation_id = "saveEventOfWorkflow",
    params(("id" = String, Path), ("name" = String, Path, description = "The name of a saved event"), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), request_body = SaveEvent,
    responses((status = 200, description = "The saved event", body = Data<SavedEvent>), ApiErrors))]
pub(crate) async fn save_of_workflow(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SavedEventPath(id, name): SavedEventPath,
    JsonBody { parameters, fields }: JsonBody<SaveEvent>,
) -> Result<Response, ApiError> {
    let event = required(parameters)?;
    let saved = &app.saved_events;
    let saved = saved.save(&actor, EmitterName::Workflow(&id), &name, event);
    Ok(reply::one(on_the_wire(saved.await?)?, &fields))
}

/// Delete a saved event of a workflow
///
/// Runs that were started with it are not changed.
#[utoipa::path(delete, path = "/workflows/{id}/saved_events/{name}", tag = "workflows",
    operation_id = "deleteSavedEventOfWorkflow",
    params(("id" = String, Path), ("name" = String, Path, description = "The name of a saved event")),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete_of_workflow(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SavedEventPath(id, name): SavedEventPath,
) -> Result<StatusCode, ApiError> {
    let saved = &app.saved_events;
    saved
        .delete(&actor, EmitterName::Workflow(&id), name)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list(
    app: &App,
    user: &UserId,
    emitter: EmitterName<'_>,
    fields: &FieldQuery,
) -> Result<Response, ApiError> {
    let saved = app.saved_events.list(user, emitter).await?;
    let saved: Vec<SavedEvent> = saved
        .into_iter()
        .map(on_the_wire)
        .collect::<Result<_, _>>()?;
    Ok(reply::all(&saved, &FieldSelection::new(fields)))
}

fn required(parameters: SaveEvent) -> Result<String, ApiError> {
    let event = parameters.event;
    let event = event.ok_or_else(|| ApiError::bad_request("event is required"))?;
    Ok(on_one_line(event.get()).into_owned())
}

fn on_the_wire(saved: saved_events::SavedEvent) -> Result<SavedEvent, ApiError> {
    Ok(SavedEvent {
        name: saved.name,
        event: raw(saved.event)?,
        updated_at: epoch_seconds(saved.updated_at),
    })
}

fn raw(event: String) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(event)
        .map_err(|error| ApiError::internal("a stored event is corrupt", error))
}
