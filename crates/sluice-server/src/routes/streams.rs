//! Streams of the events and log lines of a source, as server-sent events.

mod body;
mod frames;
mod parameters;
pub(crate) mod traffic;
mod traffic_frame;
pub(crate) mod workflows;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Method};
use sluice_api::{EventStreamQuery, EventSummary, LogLine, LogStreamQuery};
use sluice_app::App;
use sluice_engine::streams::Streams;
use sluice_model::{EventId, SearchQuery, SourceId};
use sluice_store::routes::LOG_CHANNEL;

use self::{
    body::Access,
    frames::{Frames, LineForm},
    parameters::{get_only, last_event_id},
};
use crate::{
    auth::Caller,
    error::ApiError,
    openapi::ApiErrors,
    path::SourcePath,
    query::Query,
    routes::{event_parameters::channel_filter, search_parameters::parse_query},
    sse,
};

/// Follow the events of a source
///
/// Server-sent events: each message is the summary of an event, with the whole event and its id. With `Last-Event-ID` the stream
/// continues after that event with the stored events. Otherwise it starts now.
#[utoipa::path(get, path = "/sources/{id}/sse", tag = "streams", operation_id = "followEvents",
    params(("id" = String, Path), EventStreamQuery, ("Last-Event-ID" = Option<String>, Header,
    description = "The last event that the client has.")),
    responses((status = 200, description = "A stream without an end", content_type = "text/event-stream",
    body = EventSummary), ApiErrors))]
pub(crate) async fn events(
    Caller { user, credential }: Caller,
    State(app): State<Arc<App>>,
    State(streams): State<Streams>,
    SourcePath(id): SourcePath,
    method: Method,
    headers: HeaderMap,
    Query(query): Query<EventStreamQuery>,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let after = last_event_id(&headers, query.last_event_id.as_deref())?;
    let search = parse_query(query.q.as_deref())?;
    if query.event_name.as_deref() == Some(LOG_CHANNEL) {
        let lines = Lines {
            after,
            query: search,
            form: LineForm::Event,
        };
        return follow_lines(app, &streams, Caller { user, credential }, id, lines).await;
    }
    let channels = channel_filter(query.event_name)?;
    let reader = streams
        .follow_events(&user.id, &id, channels, after)
        .await?;
    let frames = Frames::Events {
        source: id.into(),
        reader,
        query: search,
    };
    let access = Access::While(Box::new(credential), app);
    Ok(sse::response(body::stream(frames, access)))
}

/// Follow the events of a source, at the address of older clients
///
/// The same stream as `/v1/sources/{id}/sse`.
#[utoipa::path(get, path = "/sse/dc/{id}/emits", tag = "streams", operation_id = "followEmits",
    params(("id" = String, Path), EventStreamQuery, ("Last-Event-ID" = Option<String>, Header,
    description = "The last event that the client has.")),
    responses((status = 200, description = "A stream without an end", content_type = "text/event-stream",
    body = EventSummary), ApiErrors))]
pub(crate) async fn emits(
    caller: Caller,
    app: State<Arc<App>>,
    streams: State<Streams>,
    source: SourcePath,
    method: Method,
    headers: HeaderMap,
    query: Query<EventStreamQuery>,
) -> Result<Response, ApiError> {
    events(caller, app, streams, source, method, headers, query).await
}

/// Follow the log of a source
///
/// Server-sent events: each message is a line. With `Last-Event-ID` the stream continues after that line with the stored lines.
/// Otherwise it starts now.
#[utoipa::path(get, path = "/sse/dc/{id}/observations", tag = "streams", operation_id = "followLogs",
    params(("id" = String, Path), LogStreamQuery, ("Last-Event-ID" = Option<String>, Header,
    description = "The last line that the client has.")),
    responses((status = 200, description = "A stream without an end", content_type = "text/event-stream",
    body = LogLine), ApiErrors))]
pub(crate) async fn observations(
    caller: Caller,
    State(app): State<Arc<App>>,
    State(streams): State<Streams>,
    SourcePath(id): SourcePath,
    method: Method,
    headers: HeaderMap,
    Query(query): Query<LogStreamQuery>,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let after = last_event_id(&headers, query.last_event_id.as_deref())?;
    let lines = Lines {
        after,
        query: parse_query(query.q.as_deref())?,
        form: LineForm::Line,
    };
    follow_lines(app, &streams, caller, id, lines).await
}

/// Which lines of a log to stream, and how.
struct Lines {
    after: Option<EventId>,
    query: Option<SearchQuery>,
    form: LineForm,
}

async fn follow_lines(
    app: Arc<App>,
    streams: &Streams,
    Caller { user, credential }: Caller,
    source: SourceId,
    Lines { after, query, form }: Lines,
) -> Result<Response, ApiError> {
    let after = after.map(|id| id.seq);
    let reader = streams.follow_logs(&user.id, &source, after).await?;
    let frames = Frames::Lines {
        source: source.into(),
        reader,
        query,
        form,
    };
    let access = Access::While(Box::new(credential), app);
    Ok(sse::response(body::stream(frames, access)))
}
