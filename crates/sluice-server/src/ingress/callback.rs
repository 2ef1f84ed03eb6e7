//! Requests to waiting runs: any request resumes the run, or cancels it. The key in the address is the permission.

use sluice_infra::Infra;
use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    response::Response,
};
use sluice_api::RunState;
use sluice_app::{App, Callback, CancelledRun, ResumedRun};
use sluice_model::InvocationId;

use super::{
    body::parse_body,
    event::{CallbackFacts, callback_json},
    upload_address,
    upload_address::UploadAddresses,
};
use crate::{
    error::ApiError, fields::FieldSelection, read_body::read_body, reply, request_span,
    session_cookie, state::ServerState,
};

/// `/workflows/resume/{key}`
pub(crate) async fn resume(
    State(state): State<ServerState>,
    Path(key): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let key = valid_key(&key)?;
    let (mut parts, body) = request.into_parts();
    session_cookie::strip(&mut parts.headers);
    let infra = &state.infra;
    let mut memory = state.bodies.of_request();
    let body = read_body(&parts.headers, body, infra.settings.max_body, &mut memory).await?;
    let (body, uploads) = parse_body(&parts.headers, &body, &Addresses(infra)).await;
    let facts = CallbackFacts {
        method: &parts.method,
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        headers: &parts.headers,
    };
    let callback = Callback {
        request: callback_json(&facts, &body),
        uploads,
    };
    let ResumedRun(id) = state.app.workflows.resume_run(key, callback).await?;
    Ok(run_state(id, "queued"))
}

/// `/workflows/cancel/{key}`
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
) -> Result<Response, ApiError> {
    let CancelledRun(id) = app.workflows.cancel_run(valid_key(&key)?).await?;
    Ok(run_state(id, "cancelled"))
}

/// No key has other characters, and some databases reject them.
fn valid_key(key: &str) -> Result<&str, ApiError> {
    let is_valid = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_valid.then_some(key).ok_or(ApiError::NotFound("run"))
}

fn run_state(id: InvocationId, state: &str) -> Response {
    request_span::record_invocation(&id);
    let state = RunState {
        id,
        state: state.to_owned(),
    };
    reply::one(state, &FieldSelection::default())
}

struct Addresses<'a>(&'a Infra);

impl UploadAddresses for Addresses<'_> {
    fn new_id(&self) -> String {
        upload_address::new_id(&mut self.0.ids.rng())
    }

    fn url(&self, id: &str) -> String {
        upload_address::url(&self.0.settings.public_url, id)
    }
}
