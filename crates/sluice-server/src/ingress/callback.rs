//! Requests to waiting runs: POST, or any other method that may change something, resumes the run or cancels it. GET shows a
//! page that asks, because programs open links, too. The key in the address is the permission.

use axum::{
    body::Body,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode, header::ALLOW, request::Parts};
use sluice_api::RunState;
use sluice_app::{Callback, CancelledRun, ResumedRun};
use sluice_infra::Infra;
use sluice_model::InvocationId;

use super::{
    body::parse_body,
    callback_page::{self, Action},
    event::{CallbackFacts, callback_json},
    upload_address,
    upload_address::UploadAddresses,
};
use crate::{
    accept::is_navigation, error::ApiError, fields::FieldSelection, read_body::read_body, reply,
    request_span, session_cookie, state::ServerState,
};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");

/// `/workflows/resume/{key}`
pub(crate) async fn resume(
    State(state): State<ServerState>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    respond(&state, Action::Resume, &key, request).await
}

/// `/workflows/cancel/{key}`
pub(crate) async fn cancel(
    State(state): State<ServerState>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    respond(&state, Action::Cancel, &key, request).await
}

/// Responds with a page to a browser, and else with JSON.
async fn respond(state: &ServerState, action: Action, key: &str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let in_browser = is_navigation(&parts.headers);
    let responded = if parts.method.is_safe() {
        show(state, action, key, &parts).await
    } else {
        act(state, action, key, parts, body).await
    };
    match responded {
        Ok(response) => response,
        Err(error) if in_browser => callback_page::failed(error, &mut state.infra.ids.rng()),
        Err(error) => error.into_response(),
    }
}

/// Changes nothing.
async fn show(
    state: &ServerState,
    action: Action,
    key: &str,
    request: &Parts,
) -> Result<Response, ApiError> {
    let allow = [(ALLOW, METHODS)];
    if request.method == Method::OPTIONS {
        return Ok((StatusCode::NO_CONTENT, allow).into_response());
    }
    let key = valid_key(key)?;
    let wait = state.app.workflows.run_wait(key).await?;
    let is_read = matches!(request.method, Method::GET | Method::HEAD);
    if !is_read || !is_navigation(&request.headers) {
        return Ok((allow, ApiError::SafeMethod).into_response());
    }
    let query = request.uri.query().unwrap_or_default();
    let rng = &mut state.infra.ids.rng();
    Ok(callback_page::question(action, key, query, &wait, rng))
}

async fn act(
    state: &ServerState,
    action: Action,
    key: &str,
    parts: Parts,
    body: Body,
) -> Result<Response, ApiError> {
    let key = valid_key(key)?;
    let in_browser = is_navigation(&parts.headers);
    let id = match action {
        Action::Resume => {
            let callback = callback(state, parts, body).await?;
            let ResumedRun(id) = state.app.workflows.resume_run(key, callback).await?;
            id
        }
        Action::Cancel => {
            let CancelledRun(id) = state.app.workflows.cancel_run(key).await?;
            id
        }
    };
    request_span::record_invocation(&id);
    Ok(if in_browser {
        callback_page::done(action, &mut state.infra.ids.rng())
    } else {
        run_state(id, action)
    })
}

async fn callback(state: &ServerState, mut parts: Parts, body: Body) -> Result<Callback, ApiError> {
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
    Ok(Callback {
        request: callback_json(&facts, &body),
        uploads,
    })
}

/// No key has other characters, and some databases reject them.
fn valid_key(key: &str) -> Result<&str, ApiError> {
    let is_valid = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_valid.then_some(key).ok_or(ApiError::NotFound("run"))
}

fn run_state(id: InvocationId, action: Action) -> Response {
    let state = match action {
        Action::Resume => "queued",
        Action::Cancel => "cancelled",
    };
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
