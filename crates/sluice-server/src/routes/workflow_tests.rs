//! Tests of workflows: steps of a document run without being deployed.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use serde_json::value::RawValue;
use sluice_api::{
    Data, FieldQuery, TestResponse, TestWorkflow, TestedSend, TestedStep, WorkflowTest,
};
use sluice_app::{App, FromRun, HttpReply, TestView};
use sluice_model::InvocationId;
use sluice_store::run_history::ListedStep;

use crate::{
    actor::Author,
    error::ApiError,
    json_body::JsonBody,
    one_line::on_one_line,
    openapi::ApiErrors,
    reply,
    routes::{
        run_view::{error_place, step},
        summary::Detail,
    },
};

/// Test steps of a workflow
///
/// Runs one step, or all steps up to it, in the sandbox and returns their inputs, exports, logs and sends. The document need not be
/// deployed, and the test creates no run. An error of a step is part of the response. Pauses are reported, not waited for.
#[utoipa::path(post, path = "/workflows/test", tag = "workflows", operation_id = "testWorkflow", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), request_body = TestWorkflow,
    responses((status = 200, description = "The results of the steps", body = Data<WorkflowTest>), ApiErrors))]
pub(crate) async fn test(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<TestWorkflow>,
) -> Result<Response, ApiError> {
    let request = request(parameters)?;
    let view = app.workflows.test(&actor, request).await?;
    Ok(reply::one(on_the_wire(view)?, &fields))
}

fn request(parameters: TestWorkflow) -> Result<sluice_app::TestWorkflow, ApiError> {
    let TestWorkflow {
        workflow,
        document,
        files,
        secrets,
        step,
        only,
        event,
        from_run,
        exports,
        send,
    } = parameters;
    if workflow.is_none() && document.is_none() {
        return Err(ApiError::bad_request("give workflow or document"));
    }
    let exports = exports.unwrap_or_default().into_iter();
    let exports: Result<BTreeMap<_, _>, ApiError> = exports
        .map(|(name, json)| Ok((name, one_line(&json)?)))
        .collect();
    Ok(sluice_app::TestWorkflow {
        workflow,
        document,
        files: files.unwrap_or_default(),
        secrets: secrets.unwrap_or_default(),
        step,
        only: only.unwrap_or(false),
        event: event.as_deref().map(one_line).transpose()?,
        from_run: from_run.as_deref().map(parse_from_run).transpose()?,
        exports: exports?,
        send: send.unwrap_or(false),
    })
}

/// Messages to a process are lines.
fn one_line(json: &RawValue) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(on_one_line(json.get()).into_owned())
        .map_err(|error| ApiError::internal("JSON without line breaks is JSON", error))
}

fn parse_from_run(text: &str) -> Result<FromRun, ApiError> {
    if text == "last" {
        return Ok(FromRun::Last);
    }
    InvocationId::parse(text)
        .map(FromRun::Id)
        .ok_or_else(|| ApiError::bad_request("from_run must be the id of a run, or \"last\""))
}

fn on_the_wire(view: TestView) -> Result<WorkflowTest, ApiError> {
    let TestView {
        event,
        steps,
        error,
        error_place: place,
        exit_reason,
        reply,
        run,
        given,
        missing,
    } = view;
    let state = if error.is_some() {
        "failed"
    } else {
        "succeeded"
    };
    let mut tested = Vec::with_capacity(steps.len());
    for one in steps {
        let of_step = place.clone().filter(|_| one.record.error.is_some());
        tested.push(tested_step(one, of_step)?);
    }
    Ok(WorkflowTest {
        state: state.to_owned(),
        event: RawValue::from_string(event)
            .map_err(|error| ApiError::internal("the event of the test is corrupt", error))?,
        steps: tested,
        error,
        error_place: place.map(error_place),
        exit_reason,
        response: reply.map(response),
        from_run: run,
        given,
        missing,
    })
}

fn tested_step(
    tested: sluice_app::TestedStep,
    place: Option<sluice_app::ErrorPlace>,
) -> Result<TestedStep, ApiError> {
    let sluice_app::TestedStep {
        record,
        sends,
        pause_ms,
    } = tested;
    let whole = ListedStep {
        exports_bytes: 0,
        logs_bytes: 0,
        inputs_bytes: 0,
        record,
    };
    Ok(TestedStep {
        step: step(whole, place, Detail::Whole)?,
        sends: sends.into_iter().map(send).collect(),
        pause_ms,
    })
}

fn send(tested: sluice_app::TestedSend) -> TestedSend {
    let sluice_app::TestedSend {
        kind,
        payload,
        result,
    } = tested;
    let state = match &result {
        None => "shown",
        Some(result) if result.sent => "sent",
        Some(_) => "failed",
    };
    TestedSend {
        kind: kind.as_str().to_owned(),
        payload,
        state: state.to_owned(),
        result: result.map(|result| result.result),
    }
}

fn response(reply: HttpReply) -> TestResponse {
    TestResponse {
        status: reply.status,
        headers: reply.headers,
        body: String::from_utf8_lossy(&reply.body).into_owned(),
    }
}
