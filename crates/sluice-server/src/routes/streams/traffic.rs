//! The stream of the traffic of an account.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::Method;
use sluice_api::Traffic;
use sluice_app::App;
use sluice_engine::streams::Streams;

use super::{
    body::{self, Access},
    frames::Frames,
    parameters::get_only,
};
use crate::{auth::Caller, error::ApiError, openapi::ApiErrors, sse};

/// Follow the traffic of the account
///
/// Server-sent events of the type `traffic`: at most one per second, and none while there is no traffic. The stream starts now
/// and cannot be resumed.
#[utoipa::path(get, path = "/users/me/traffic", tag = "streams", operation_id = "followTraffic",
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A stream without an end", content_type = "text/event-stream",
    body = Traffic), ApiErrors))]
pub(crate) async fn follow(
    Caller { user, credential }: Caller,
    State(app): State<Arc<App>>,
    State(streams): State<Streams>,
    method: Method,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let reader = streams.follow_traffic(&user.id)?;
    let frames = Frames::Traffic {
        user: user.id,
        reader,
    };
    let access = Access::While(Box::new(credential), app);
    Ok(sse::response(body::stream(frames, access)))
}
