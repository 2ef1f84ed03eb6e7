//! The public stream of a workflow: what its steps send with `$.send.sse`.

use axum::{extract::State, response::Response};
use http::{HeaderMap, Method};
use sluice_api::SendStreamQuery;
use sluice_engine::streams::Streams;

use super::{body, frames::Frames, get_only, last_event_id};
use crate::{
    error::ApiError, ingress::cors, openapi::ApiErrors, path::WorkflowPath, query::Query, sse,
};

/// Follow what a workflow sends
///
/// Server-sent events for anyone who knows the workflow, from any page: each message is what a step sent with
/// `$.send.sse`, and has the name of its channel. With `Last-Event-ID` the stream goes on after that message with what is
/// kept; otherwise it begins with the last 100.
#[utoipa::path(get, path = "/workflows/{id}/sse", tag = "streams", operation_id = "followSends", security(()),
    params(("id" = String, Path), SendStreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The last message that the client has.")),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "A stream that does not end by itself", content_type = "text/event-stream", body = serde_json::Value), ApiErrors))]
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
        head: query.channel.as_deref().map(sse::name_line),
    };
    Ok(cors::open_to_all(sse::response(body::of(
        frames,
        body::Reader::Anyone,
    ))))
}

/// What a browser asks before it sends `Last-Event-ID` from another page.
pub(crate) async fn preflight(headers: HeaderMap) -> Response {
    cors::preflight_answer(&headers)
}
