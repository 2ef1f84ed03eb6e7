//! Runs of workflows: list, read and replay.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{
    Data, FieldQuery, Invocation, List, PageQuery, ReplayRun, ReplayRuns, ReplayedRuns, Run,
    RunsQuery,
};
use sluice_app::{App, ReplayFrom, RunList, RunPage};
use sluice_infra::Infra;
use sluice_model::InvocationId;
use sluice_store::{run_history::Content, runs::RunState};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::{RunPath, WorkflowNamePath},
    query::Query,
    reply,
    request_trace::Cause,
    routes::{
        event_parameters::must_be_in_order,
        run_view::on_the_wire,
        search_parameters::{BUDGET, parse_search},
        summary::Detail,
    },
};

/// No text of so many bytes has more characters, and no preview shows more of one.
const PREVIEW_CHARACTERS: u32 = 1024;

/// The runs of a workflow, newest first
///
/// Runs that have started, and queued replays. `queued` of the workflow also counts events that wait. With `q`, `since` or
/// `until`, all stored runs are searched. A request searches for a limited time; `searched_to` of `page_info` is where to search
/// on.
#[utoipa::path(get, path = "/workflows/{id}/runs", tag = "runs", operation_id = "listRuns",
    params(("id" = String, Path), PageQuery, RunsQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A page of runs", body = List<Run>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    WorkflowNamePath(id): WorkflowNamePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<RunsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let PageRequest {
        limit,
        after,
        before,
    } = PageRequest::parse(&page, InvocationId::parse)?;
    let (detail, content) = match query.expand.as_deref() {
        None => (Detail::Preview, Content::Start(PREVIEW_CHARACTERS)),
        Some("run") => (Detail::Whole, Content::Whole),
        Some(_) => return Err(ApiError::bad_request("expand must be \"run\"")),
    };
    let page = RunPage {
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
        content,
    };
    let RunList {
        total,
        rows,
        searched_to,
    } = app.workflows.list_runs(&user.id, &id, page).await?;
    let runs = rows
        .into_iter()
        .map(|view| on_the_wire(view, detail, &infra.settings))
        .collect::<Result<Vec<_>, _>>()?;
    let mut list = page::list(total, runs, |run| run.id.to_string());
    list.page_info.searched_to = searched_to.map(|id| id.to_string());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// A run, with its steps
///
/// With the result, the log and the exports of each step.
#[utoipa::path(get, path = "/workflows/{id}/runs/{run_id}", tag = "runs", operation_id = "getRun",
    params(("id" = String, Path), ("run_id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The run", body = Data<Run>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    RunPath(id, run): RunPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.workflows.get_run(&user.id, &id, run).await?;
    let run = on_the_wire(view, Detail::Whole, &infra.settings)?;
    Ok(reply::one(run, &FieldSelection::new(&fields)))
}

/// Replay a finished run
///
/// The new run has the same event and uses the current version.
#[utoipa::path(post, path = "/workflows/{id}/runs/{run_id}/replay", tag = "runs", operation_id = "replayRun",
    params(("id" = String, Path), ("run_id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    request_body = ReplayRun, responses((status = 200, description = "The id of the new run",
    body = Data<Invocation>), ApiErrors))]
pub(crate) async fn replay(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    RunPath(id, run): RunPath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<ReplayRun>,
) -> Result<Response, ApiError> {
    let from = replay_from(parameters.from);
    let replay = app.workflows.replay_run(&actor, &id, run, from, trace);
    let id = replay.await?;
    Ok(reply::one(Invocation { id }, &fields))
}

/// Replay many runs
///
/// Selected by state, by range, or both. Runs that are not over are skipped. Of several runs for the same event, only the last is
/// replayed.
#[utoipa::path(post, path = "/workflows/{id}/runs/replay", tag = "runs", operation_id = "replayRuns",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))), request_body = ReplayRuns,
    responses((status = 200, description = "The number of runs that were replayed", body = Data<ReplayedRuns>), ApiErrors))]
pub(crate) async fn replay_many(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    WorkflowNamePath(id): WorkflowNamePath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<ReplayRuns>,
) -> Result<Response, ApiError> {
    let ReplayRuns {
        from,
        state,
        start_id,
        end_id,
    } = parameters;
    let (start, end) = (
        parse_bound("start_id", start_id.as_deref())?,
        parse_bound("end_id", end_id.as_deref())?,
    );
    must_be_in_order(start, end)?;
    let which = sluice_app::ReplayRuns {
        from: replay_from(from),
        failed_only: state.is_some(),
        start,
        end,
    };
    let count = app.workflows.replay_runs(&actor, &id, which, trace).await?;
    Ok(reply::one(ReplayedRuns { count }, &fields))
}

fn replay_from(from: Option<sluice_api::ReplayFrom>) -> ReplayFrom {
    match from {
        None | Some(sluice_api::ReplayFrom::Start) => ReplayFrom::Start,
        Some(sluice_api::ReplayFrom::Failed) => ReplayFrom::Failed,
    }
}

fn parse_bound(name: &str, text: Option<&str>) -> Result<Option<InvocationId>, ApiError> {
    let parse = |text| {
        InvocationId::parse(text)
            .ok_or_else(|| ApiError::BadRequest(format!("{name} is not the id of a run")))
    };
    text.map(parse).transpose()
}

pub(super) fn parse_state(text: &str) -> Result<RunState, ApiError> {
    RunState::parse(text).ok_or_else(|| {
        ApiError::bad_request(
            "state must be queued, running, waiting, succeeded, failed or cancelled",
        )
    })
}
