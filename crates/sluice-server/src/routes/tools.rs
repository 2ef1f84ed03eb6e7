//! Tools: actions that are enabled for programs such as AI agents.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{ActionRun, Data, EnableTool, FieldQuery, RunTool, Tool};
use sluice_app::{App, ToolView};
use sluice_infra::Infra;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::ToolPath,
    query::Query,
    reply,
    request_trace::Cause,
    routes::{action_run_view, dates::epoch_seconds, user_fields::required},
};

/// Your tools, by name
///
/// With their preset props; secrets are masked.
#[utoipa::path(get, path = "/tools", tag = "tools", operation_id = "listTools", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), responses((status = 200, description = "The tools", body = Data<Vec<Tool>>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let tools = app.tools.list(&user.id).await?.into_iter();
    let tools: Vec<Tool> = tools.map(on_the_wire).collect();
    Ok(reply::all(&tools, &FieldSelection::new(&fields)))
}

/// A tool
///
/// With its preset props; secrets are masked.
#[utoipa::path(get, path = "/tools/{name}", tag = "tools", operation_id = "getTool",
    params(("name" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The tool", body = Data<Tool>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    ToolPath(name): ToolPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let tool = app.tools.get(&user.id, &name).await?;
    Ok(reply::one(on_the_wire(tool), &FieldSelection::new(&fields)))
}

/// Enable an action as a tool
///
/// Replaces the tool of this name if there is one.
#[utoipa::path(put, path = "/tools/{name}", tag = "tools", operation_id = "enableTool", request_body = EnableTool,
    params(("name" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The tool", body = Data<Tool>), ApiErrors))]
pub(crate) async fn enable(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    ToolPath(name): ToolPath,
    JsonBody { parameters, fields }: JsonBody<EnableTool>,
) -> Result<Response, ApiError> {
    let EnableTool {
        component,
        description,
        configured_props,
        account,
    } = parameters;
    let request = sluice_app::EnableTool {
        name,
        component: required("component", component.as_deref())?,
        description,
        configured_props: configured_props.unwrap_or_default(),
        account,
    };
    let tool = app.tools.enable(&actor, request).await?;
    Ok(reply::one(on_the_wire(tool), &fields))
}

/// Disable a tool
///
/// Its action and the record of its runs stay.
#[utoipa::path(delete, path = "/tools/{name}", tag = "tools", operation_id = "disableTool",
    params(("name" = String, Path)), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 204, description = "Disabled"), ApiErrors))]
pub(crate) async fn disable(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    ToolPath(name): ToolPath,
) -> Result<StatusCode, ApiError> {
    app.tools.disable(&actor, name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run a tool
///
/// As `POST /actions/run`, with the preset props of the tool. Needs the scope `run` or `deploy`.
#[utoipa::path(post, path = "/tools/{name}/run", tag = "tools", operation_id = "runTool", request_body = RunTool,
    params(("name" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The run", body = Data<ActionRun>), ApiErrors))]
pub(crate) async fn run(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    ToolPath(name): ToolPath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<RunTool>,
) -> Result<Response, ApiError> {
    let given = parameters.configured_props.unwrap_or_default();
    let view = app.tools.run(&actor, name, given, trace).await?;
    let run = action_run_view::on_the_wire(view, &infra.settings)?;
    Ok(reply::one(run, &fields))
}

fn on_the_wire(view: ToolView) -> Tool {
    Tool {
        name: view.name,
        component: view.component,
        title: view.title,
        description: view.description,
        has_own_description: view.has_own_description,
        configured_props: view.preset,
        input_schema: view.input_schema,
        problem: view.problem,
        created_at: epoch_seconds(view.created_at),
        updated_at: epoch_seconds(view.updated_at),
    }
}
