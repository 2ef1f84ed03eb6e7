//! Actions that run by themselves, and their runs.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{ActionRun, ActionRunsQuery, Data, FieldQuery, List, PageQuery, RunAction};
use sluice_app::{ActionRunList, ActionRunPage, App};
use sluice_infra::Infra;
use sluice_model::InvocationId;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::ActionRunPath,
    query::Query,
    reply,
    request_trace::Cause,
    routes::{
        action_run_view::on_the_wire,
        components::code_input,
        runs::parse_state,
        search_parameters::{BUDGET, parse_search},
        sources::{component_ref, required_component},
    },
};

/// Run an action
///
/// Runs a component once, in the sandbox, and responds with its outcome. An error of the component is an outcome too: the status is
/// 200, `state` is `failed`, and `error` has its name, message and stack. A run that lasts longer than five minutes goes on, as it
/// does when the client disconnects.
#[utoipa::path(post, path = "/actions/run", tag = "actions", operation_id = "runAction", request_body = RunAction,
    params(FieldQuery), extensions(("x-sluice-extension" = json!(true))), responses((status = 200, description = "The run", body = Data<ActionRun>), ApiErrors))]
pub(crate) async fn run(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<RunAction>,
) -> Result<Response, ApiError> {
    let RunAction {
        component_id,
        component_code,
        component_files,
        component_url,
        key,
        configured_props,
        account,
        dynamic_props_id,
        timeout_seconds,
        wait,
    } = parameters;
    let code = code_input(component_code, component_files, component_url);
    let component = required_component(component_ref(component_id, code, key)?)?;
    let request = sluice_app::RunAction {
        component,
        configured_props: configured_props.unwrap_or_default(),
        account,
        dynamic_props_id,
        timeout_seconds,
        wait: wait.unwrap_or(true),
        tool: None,
        trace,
    };
    let view = app.actions.run(&actor, request).await?;
    Ok(reply::one(on_the_wire(view, &infra.settings)?, &fields))
}

/// The runs of actions, newest first
///
/// Without their outcomes. With `q`, `since` or `until`, all stored runs are searched. A request searches for a limited time;
/// `searched_to` of `page_info` is where to search on.
#[utoipa::path(get, path = "/actions/runs", tag = "actions", operation_id = "listActionRuns",
    params(PageQuery, ActionRunsQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of runs", body = List<ActionRun>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ActionRunsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let PageRequest {
        limit,
        after,
        before,
    } = PageRequest::parse(&page, InvocationId::parse)?;
    let page = ActionRunPage {
        state: query.state.as_deref().map(parse_state).transpose()?,
        search: parse_search(
            query.q.as_deref(),
            query.since.as_deref(),
            query.until.as_deref(),
        )?,
        budget: BUDGET,
        limit,
        after,
        before,
    };
    let ActionRunList {
        total,
        rows,
        searched_to,
    } = app.actions.list(&user.id, page).await?;
    let runs = rows
        .into_iter()
        .map(|view| on_the_wire(view, &infra.settings))
        .collect::<Result<Vec<_>, _>>()?;
    let mut list = page::list(total, runs, |run| run.id.to_string());
    list.page_info.searched_to = searched_to.map(|id| id.to_string());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A run of an action, with its outcome
///
/// Also of one that has not ended yet. Secrets are masked.
#[utoipa::path(get, path = "/actions/runs/{run_id}", tag = "actions", operation_id = "getActionRun",
    params(("run_id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The run", body = Data<ActionRun>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    ActionRunPath(run): ActionRunPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.actions.get(&user.id, run).await?;
    let run = on_the_wire(view, &infra.settings)?;
    Ok(reply::one(run, &FieldSelection::new(&fields)))
}

/// Replay a run of an action
///
/// The same version of the action runs again with the same props. The response is sent as soon as the new run is stored.
#[utoipa::path(post, path = "/actions/runs/{run_id}/replay", tag = "actions", operation_id = "replayActionRun",
    params(("run_id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The run", body = Data<ActionRun>), ApiErrors))]
pub(crate) async fn replay(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    ActionRunPath(run): ActionRunPath,
    Cause(trace): Cause,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.actions.replay(&actor, run, trace).await?;
    let run = on_the_wire(view, &infra.settings)?;
    Ok(reply::one(run, &FieldSelection::new(&fields)))
}
