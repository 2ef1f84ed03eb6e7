//! Workflows: deploy, read, list, update, delete and run.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use sluice_api::{
    Data, DeployWorkflow, EmittersQuery, ExpandEmittersQuery, FieldQuery, Invocation, List,
    PageQuery, RunSource, Workflow, WorkflowStep, WorkflowTrigger,
};
use sluice_app::{App, ChangeWorkflow, Deploy, Listing, StepView, TriggerView, WorkflowView};
use sluice_model::{Cursor, TimerSpec, workflow::SCHEMA};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::WorkflowNamePath,
    query::Query,
    reply,
    request_trace::Cause,
    routes::{
        activity::{expanded, selection},
        dates::epoch_seconds,
        sources::event_to_run,
    },
};

/// Deploy a new workflow
///
/// An invalid document is rejected with all its errors in `details.document`, each with line and column.
#[utoipa::path(post, path = "/workflows", tag = "workflows", operation_id = "createWorkflow", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), request_body = DeployWorkflow,
    responses((status = 200, description = "The workflow, with the URLs of its endpoints", body = Data<Workflow>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<DeployWorkflow>,
) -> Result<Response, ApiError> {
    let deploy = match change(parameters)? {
        ChangeWorkflow::Deploy(deploy) => deploy,
        ChangeWorkflow::Adjust { .. } => {
            return Err(ApiError::bad_request("document is required"));
        }
    };
    let view = app.workflows.create(&actor, deploy).await?;
    Ok(reply::one(on_the_wire(view), &fields))
}

/// A workflow
///
/// Every path that has the id of a workflow accepts its slug, too.
#[utoipa::path(get, path = "/workflows/{id}", tag = "workflows", operation_id = "getWorkflow",
    params(("id" = String, Path), ExpandEmittersQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The workflow", body = Data<Workflow>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(expand): Query<ExpandEmittersQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.workflows.get(&user.id, &id).await?;
    let ids = vec![view.workflow.id.clone().into()];
    let mut workflow = on_the_wire(view);
    workflow.activity = expanded(&app, &expand, ids).await?.pop().flatten();
    Ok(reply::one(workflow, &FieldSelection::new(&fields)))
}

/// The workflows of the current user
///
/// Newest first.
#[utoipa::path(get, path = "/workflows", tag = "workflows", operation_id = "listWorkflows",
    params(EmittersQuery, ExpandEmittersQuery, PageQuery, FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), responses((status = 200, description = "A page of workflows",
    body = List<Workflow>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(which): Query<EmittersQuery>,
    Query(expand): Query<ExpandEmittersQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let which = selection(which)?;
    let Listing { total, rows } = app.workflows.list(&user.id, &which, page).await?;
    let ids = rows.iter().map(|view| view.workflow.id.clone().into());
    let activities = expanded(&app, &expand, ids.collect()).await?;
    // A cursor needs milliseconds, and the item in the response has only seconds.
    let page_info = page::list(total, rows.iter().collect(), |view| {
        page::cursor(view.workflow.created_at, view.workflow.id.as_str())
    })
    .page_info;
    let data = rows
        .into_iter()
        .zip(activities)
        .map(|(view, activity)| Workflow {
            activity,
            ..on_the_wire(view)
        })
        .collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Update a workflow
///
/// A document creates a new version for new runs. Runs in progress keep their version. The endpoint keeps its address.
#[utoipa::path(put, path = "/workflows/{id}", tag = "workflows", operation_id = "updateWorkflow",
    params(("id" = String, Path), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), request_body = DeployWorkflow,
    responses((status = 200, description = "The workflow", body = Data<Workflow>), ApiErrors))]
pub(crate) async fn update(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    JsonBody { parameters, fields }: JsonBody<DeployWorkflow>,
) -> Result<Response, ApiError> {
    if parameters == DeployWorkflow::default() {
        return Err(ApiError::bad_request(
            "there is nothing to change: give one of document, secrets and active",
        ));
    }
    let change = change(parameters)?;
    let view = app.workflows.update(&actor, &id, change).await?;
    Ok(reply::one(on_the_wire(view), &fields))
}

/// Delete a workflow, its versions, its runs and its events
///
/// Its endpoints no longer exist, and its streams end.
#[utoipa::path(delete, path = "/workflows/{id}", tag = "workflows", operation_id = "deleteWorkflow",
    params(("id" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
) -> Result<StatusCode, ApiError> {
    app.workflows.delete(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run a workflow now
///
/// The steps get the event as if a trigger had received it. The response is sent when the run is stored.
#[utoipa::path(post, path = "/workflows/{id}/run", tag = "workflows", operation_id = "runWorkflow",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))), request_body = RunSource,
    responses((status = 200, description = "The id of the run", body = Data<Invocation>), ApiErrors))]
pub(crate) async fn run(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<RunSource>,
) -> Result<Response, ApiError> {
    let event = event_to_run(parameters.event.as_deref());
    let id = app.workflows.run(&actor, &id, event, trace).await?;
    Ok(reply::one(Invocation { id }, &fields))
}

/// The JSON Schema of workflow documents
///
/// Editors complete and check documents with it. It needs no API key.
#[utoipa::path(get, path = "/workflows/schema.json", tag = "workflows", operation_id = "getWorkflowSchema",
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The schema", body = Object, content_type = "application/schema+json"), ApiErrors))]
pub(crate) async fn schema() -> Response {
    let content_type = HeaderValue::from_static("application/schema+json");
    ([(CONTENT_TYPE, content_type)], SCHEMA).into_response()
}

fn change(parameters: DeployWorkflow) -> Result<ChangeWorkflow, ApiError> {
    let DeployWorkflow {
        document,
        files,
        secrets,
        active,
    } = parameters;
    let secrets: BTreeMap<_, _> = secrets.unwrap_or_default();
    match (document, files) {
        (Some(document), files) => Ok(ChangeWorkflow::Deploy(Deploy {
            document,
            files: files.unwrap_or_default(),
            secrets,
            active,
        })),
        (None, Some(_)) => Err(ApiError::bad_request(
            "files come with the document that names them: give document too",
        )),
        (None, None) => Ok(ChangeWorkflow::Adjust { secrets, active }),
    }
}

pub(super) fn on_the_wire(view: WorkflowView) -> Workflow {
    let WorkflowView {
        workflow,
        version,
        description,
        triggers,
        steps,
        settings,
        queued,
    } = view;
    Workflow {
        id: workflow.id,
        user_id: workflow.user_id,
        name: workflow.name,
        name_slug: workflow.name_slug,
        description,
        active: workflow.active,
        version,
        deployment_id: workflow.deployment_id,
        triggers: triggers.into_iter().map(trigger).collect(),
        steps: steps.into_iter().map(step).collect(),
        settings,
        queued,
        created_at: epoch_seconds(workflow.created_at),
        updated_at: epoch_seconds(workflow.updated_at),
        activity: None,
    }
}

fn trigger(view: TriggerView) -> WorkflowTrigger {
    match view {
        TriggerView::Http {
            endpoint_url,
            custom_response,
        } => WorkflowTrigger::Http {
            endpoint_url,
            custom_response,
        },
        TriggerView::Schedule { timer, next_at } => {
            let (cron, interval_seconds, timezone) = match timer {
                TimerSpec::Interval { seconds } => (None, Some(seconds), None),
                TimerSpec::Cron {
                    expression,
                    timezone,
                } => (Some(expression), None, timezone),
            };
            WorkflowTrigger::Schedule {
                cron,
                interval_seconds,
                timezone,
                next_at: next_at.map(epoch_seconds),
            }
        }
        TriggerView::Events {
            emitter_id,
            event_name,
        } => WorkflowTrigger::Events {
            emitter_id,
            event_name,
        },
    }
}

pub(super) fn step(step: StepView) -> WorkflowStep {
    WorkflowStep {
        name: step.name,
        cell_id: step.cell_id,
        component_id: step.component_id,
        app: step.app,
    }
}
