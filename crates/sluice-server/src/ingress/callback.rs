//! Requests to runs that wait: any request makes the run go on, or ends it. The key in the address is the permission.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use rand::{RngExt, distr::Alphanumeric};
use sluice_api::RunState;
use sluice_engine::{Callback, Cancelled, Engine, Resumed};

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
    State(engine): State<Arc<Engine>>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    if cors::is_preflight(&request) {
        return cors::preflight_answer(request.headers());
    }
    cors::open_to_all(go_on(&engine, &key, request).await.into_response())
}

/// `/workflows/cancel/{key}`
pub(crate) async fn cancel(
    State(engine): State<Arc<Engine>>,
    Path(key): Path<String>,
    request: Request,
) -> Response {
    if cors::is_preflight(&request) {
        return cors::preflight_answer(request.headers());
    }
    let cancelled = match known(&key) {
        Ok(key) => engine.cancel_run(key).await.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    let answer = cancelled.map(|Cancelled(id)| told(id, "cancelled"));
    cors::open_to_all(answer.into_response())
}

async fn go_on(engine: &Engine, key: &str, request: Request) -> Result<Response, ApiError> {
    let key = known(key)?;
    let (mut parts, body) = request.into_parts();
    session_cookie::strip(&mut parts.headers);
    let body = read_body(&parts.headers, body, engine.settings().max_body).await?;
    let (body, uploads) = parse_body(&parts.headers, &body, &Addresses(engine)).await;
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
    let Resumed(id) = engine.resume_run(key, callback).await?;
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
struct Addresses<'a>(&'a Engine);

impl UploadAddresses for Addresses<'_> {
    fn new_id(&self) -> String {
        let mut rng = rand::rng();
        (0..UPLOAD_ID_LENGTH)
            .map(|_| char::from(rng.sample(Alphanumeric)))
            .collect()
    }

    fn url(&self, id: &str) -> String {
        format!("{}/uploads/{id}", self.0.settings().public_url)
    }
}
