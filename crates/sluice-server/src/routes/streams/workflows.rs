//! The public stream of a workflow, with the messages of `$.send.sse`.

use axum::{extract::State, response::Response};
use http::{HeaderMap, Method, StatusCode};
use sluice_api::SendStreamQuery;
use sluice_engine::streams::Streams;

use super::{
    body,
    frames::Frames,
    parameters::{get_only, last_event_id},
};
use crate::{error::ApiError, openapi::ApiErrors, path::WorkflowPath, query::Query, sse};

/// Follow the messages of a workflow
///
/// Server-sent events, public and readable from any origin: each message was sent by a step with `$.send.sse` and has the name
/// of its channel. With `Last-Event-ID` the stream continues after that message with the stored messages. Otherwise it starts
/// with the last 100.
#[utoipa::path(get, path = "/workflows/{id}/sse", tag = "streams", operation_id = "followSends",
    params(("id" = String, Path, description = "The id of a workflow"), SendStreamQuery, ("Last-Event-ID" = Option<String>, Header,
    description = "The last message that the client has.")),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A stream without an end", content_type = "text/event-stream",
    body = serde_json::Value), ApiErrors))]
pub(crate) async fn sends(
    State(streams): State<Streams>,
    WorkflowPath(id): WorkflowPath,
    method: Method,
    headers: HeaderMap,
    Query(query): Query<SendStreamQuery>,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let after = last_event_id(&headers, query.last_event_id.as_deref())?;
    let frames = Frames::Sends {
        reader: streams.follow_sends(&id, after).await?,
        workflow: id.into(),
        head: query.channel.as_deref().map(sse::name_line),
    };
    Ok(sse::response(body::stream(frames, body::Access::Public)))
}

/// A preflight is answered before it gets here; another `OPTIONS` has the same status.
pub(crate) async fn options() -> StatusCode {
    StatusCode::NO_CONTENT
}
