//! Requests to runs that wait: any request makes the run go on, or ends it. The key in the address is the permission.

use sluice_infra::{Infra, Settings};
use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use rand::{RngExt, distr::Alphanumeric};
use sluice_api::RunState;
use sluice_app::{App, Callback, CancelledRun, ResumedRun};

use super::{
    UPLOAD_ID_LENGTH,
    body::parse_body,
    cors,
    event::{CallbackFacts, callback_json},
    multipart::UploadAddresses,
};
use crate::{error::ApiError, fields::FieldSelection, read_body::read_body, reply, session_cookie};

/// `/workflows/resume/{key}`
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    if cors::is_preflight(&request) {
        return cors::preflight_answer(request.headers());
    }
    cors::open_to_all(go_on(&app, &infra, &key, request).await.into_response())
}

/// `/workflows/cancel/{key}`
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    if cors::is_preflight(&request) {
        return cors::preflight_answer(request.headers());
    }
    let cancelled = match known(&key) {
        Ok(key) => app.workflows.cancel_run(key).await.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    let answer = cancelled.map(|CancelledRun(id)| told(id, "cancelled"));
    cors::open_to_all(answer.into_response())
}

async fn go_on(
    app: &App,
    infra: &Infra,
    key: &str,
    request: Request,
) -> Result<Response, ApiError> {
    let key = known(key)?;
    let (mut parts, body) = request.into_parts();
    session_cookie::strip(&mut parts.headers);
    let body = read_body(&parts.headers, body, infra.settings.max_body).await?;
    let (body, uploads) = parse_body(&parts.headers, &body, &Addresses(&infra.settings)).await;
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
    let ResumedRun(id) = app.workflows.resume_run(key, callback).await?;
    Ok(told(id, "queued"))
}

/// No key has other characters, and not every database takes all of them.
fn known(key: &str) -> Result<&str, ApiError> {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain.then_some(key).ok_or(ApiError::NotFound("run"))
}

fn told(id: sluice_model::InvocationId, state: &str) -> Response {
    let state = RunState {
        id,
        state: state.to_owned(),
    };
    reply::one(state, &FieldSelection::default())
}

/// Where the files of a request can be fetched.
struct Addresses<'a>(&'a Settings);

impl UploadAddresses for Addresses<'_> {
    fn new_id(&self) -> String {
        let mut rng = rand::rng();
        (0..UPLOAD_ID_LENGTH)
            .map(|_| char::from(rng.sample(Alphanumeric)))
            .collect()
    }

    fn url(&self, id: &str) -> String {
        format!("{}/uploads/{id}", self.0.public_url)
    }
}
