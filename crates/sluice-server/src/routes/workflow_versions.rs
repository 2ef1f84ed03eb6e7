//! The versions of a workflow: list, read and roll back.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{
    Data, FieldQuery, RollBackWorkflow, WholeWorkflowVersion, Workflow, WorkflowVersion,
};
use sluice_app::{App, VersionView, WholeVersionView};
use sluice_store::deployments::Version;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::{WorkflowNamePath, WorkflowVersionPath},
    query::Query,
    reply,
    routes::{dates::epoch_seconds, workflows},
};

/// The versions of a workflow, newest first
///
/// In one list, without pages. A version never changes.
#[utoipa::path(get, path = "/workflows/{id}/versions", tag = "workflows", operation_id = "listWorkflowVersions",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The versions", body = Data<Vec<WorkflowVersion>>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let versions = app.workflows.versions(&user.id, &id).await?;
    let versions: Vec<_> = versions
        .into_iter()
        .map(|VersionView { version, running }| on_the_wire(version, running))
        .collect();
    Ok(reply::all(&versions, &FieldSelection::new(&fields)))
}

/// A version of a workflow, with its document
///
/// The document and its files are as they were deployed.
#[utoipa::path(get, path = "/workflows/{id}/versions/{number}", tag = "workflows", operation_id = "getWorkflowVersion",
    params(("id" = String, Path), ("number" = u32, Path, description = "The number of a version"), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The version", body = Data<WholeWorkflowVersion>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    WorkflowVersionPath(id, number): WorkflowVersionPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let found = app.workflows.version(&user.id, &id, number).await?;
    let WholeVersionView {
        deployment,
        steps,
        running,
    } = found;
    let version = Version {
        id: deployment.id,
        number: deployment.number,
        created_at: deployment.created_at,
    };
    let whole = WholeWorkflowVersion {
        version: on_the_wire(version, running),
        document: deployment.document,
        files: deployment.files,
        definition: deployment.definition,
        steps: steps.into_iter().map(workflows::step).collect(),
    };
    Ok(reply::one(whole, &FieldSelection::new(&fields)))
}

/// Roll a workflow back to an earlier version
///
/// New runs use it, with its triggers, schedule and subscriptions. The next deployment is still numbered after the newest version.
#[utoipa::path(post, path = "/workflows/{id}/rollback", tag = "workflows", operation_id = "rollBackWorkflow",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))), request_body = RollBackWorkflow,
    responses((status = 200, description = "The workflow", body = Data<Workflow>), ApiErrors))]
pub(crate) async fn roll_back(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    JsonBody { parameters, fields }: JsonBody<RollBackWorkflow>,
) -> Result<Response, ApiError> {
    let number = parameters
        .version
        .ok_or_else(|| ApiError::bad_request("version is required"))?;
    let view = app.workflows.roll_back(&actor, &id, number).await?;
    Ok(reply::one(workflows::on_the_wire(view), &fields))
}

fn on_the_wire(version: Version, running: bool) -> WorkflowVersion {
    WorkflowVersion {
        id: version.id,
        number: version.number,
        created_at: epoch_seconds(version.created_at),
        running,
    }
}
