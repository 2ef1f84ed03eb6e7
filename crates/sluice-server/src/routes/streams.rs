//! Streams of a source's events and log lines, as server-sent events.

mod body;
mod frames;
pub(crate) mod traffic;
pub(crate) mod workflows;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, Method};
use sluice_api::{EventStreamQuery, EventSummary, LogLine, LogStreamQuery};
use sluice_app::App;
use sluice_engine::streams::Streams;
use sluice_model::{EventId, SourceId};
use sluice_store::routes::LOG_CHANNEL;

use self::{
    body::Reader,
    frames::{Frames, LineForm},
};
use crate::{
    auth::Caller, error::ApiError, openapi::ApiErrors, path::SourcePath, query::Query,
    routes::events::channel_filter, sse,
};

const LAST_EVENT_ID: &str = "last-event-id";

/// Follow the events of a source
///
/// Server-sent events: each message is the summary of an event with the event whole, and its id the event's. With
/// `Last-Event-ID` the stream goes on after that event with what is kept; otherwise it begins now.
#[utoipa::path(get, path = "/sources/{id}/sse", tag = "streams", operation_id = "followEvents",
    params(("id" = String, Path), EventStreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The last event that the client has.")),
    responses((status = 200, description = "A stream that does not end by itself", content_type = "text/event-stream", body = EventSummary), ApiErrors))]
pub(crate) async fn events(
    Caller { user, proof }: Caller,
    State(app): State<Arc<App>>,
    State(streams): State<Streams>,
    SourcePath(id): SourcePath,
    method: Method,
    headers: HeaderMap,
    Query(query): Query<EventStreamQuery>,
) -> Result<Response, ApiError> {
    get_only(&method)?;
    let after = last_event_id(&headers, query.last_event_id.as_deref())?;
    if query.event_name.as_deref() == Some(LOG_CHANNEL) {
        let form = LineForm::Event;
        return follow_lines(app, &streams, Caller { user, proof }, id, after, form).await;
    }
    let channels = channel_filter(query.event_name)?;
    let reader = streams
        .follow_events(&user.id, &id, channels, after)
        .await?;
    let frames = Frames::Events {
        source: id.into(),
        reader,
    };
    let reader = Reader::With(proof, app);
    Ok(sse::response(body::of(frames, reader)))
}

/// Follow the events of a source, at their other address
#[utoipa::path(get, path = "/sse/dc/{id}/emits", tag = "streams", operation_id = "followEmits",
    params(("id" = String, Path), EventStreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The last event that the client has.")),
    responses((status = 200, description = "A stream that does not end by itself", content_type = "text/event-stream", body = EventSummary), ApiErrors))]
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
/// Server-sent events: each message is a line. With `Last-Event-ID` the stream goes on after that line with what is
/// kept; otherwise it begins now.
#[utoipa::path(get, path = "/sse/dc/{id}/observations", tag = "streams", operation_id = "followLogs",
    params(("id" = String, Path), LogStreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The last line that the client has.")),
    responses((status = 200, description = "A stream that does not end by itself", content_type = "text/event-stream", body = LogLine), ApiErrors))]
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
    follow_lines(app, &streams, caller, id, after, LineForm::Line).await
}

async fn follow_lines(
    app: Arc<App>,
    streams: &Streams,
    Caller { user, proof }: Caller,
    source: SourceId,
    after: Option<EventId>,
    form: LineForm,
) -> Result<Response, ApiError> {
    let after = after.map(|id| id.seq);
    let reader = streams.follow_logs(&user.id, &source, after).await?;
    let frames = Frames::Lines {
        source: source.into(),
        reader,
        form,
    };
    let reader = Reader::With(proof, app);
    Ok(sse::response(body::of(frames, reader)))
}

/// Routers give HEAD to whoever takes GET, but a stream has no head worth asking for.
fn get_only(method: &Method) -> Result<(), ApiError> {
    if method == Method::GET {
        Ok(())
    } else {
        Err(ApiError::MethodNotAllowed)
    }
}

/// The header counts more: a client that reconnects sends it to the address that it was first given.
fn last_event_id(headers: &HeaderMap, query: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let fault = || ApiError::bad_request("Last-Event-ID is not an event id");
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str());
    let header = header.transpose().map_err(|_| fault())?;
    match header.or(query) {
        None | Some("") => Ok(None),
        Some(text) => EventId::parse(text).map(Some).ok_or_else(fault),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn asked(header: Option<&'static str>, query: Option<&str>) -> Result<Option<EventId>, ()> {
        let mut headers = HeaderMap::new();
        if let Some(value) = header {
            headers.insert(LAST_EVENT_ID, HeaderValue::from_static(value));
        }
        last_event_id(&headers, query).map_err(drop)
    }

    #[test]
    fn the_header_counts_more_than_the_query() {
        let id = |ms, seq| Ok(Some(EventId { ms, seq }));
        assert_eq!(asked(None, None), Ok(None));
        assert_eq!(asked(Some("5-1"), None), id(5, 1));
        assert_eq!(asked(None, Some("6-1")), id(6, 1));
        assert_eq!(asked(Some("5-1"), Some("6-1")), id(5, 1));
        assert_eq!(asked(Some(""), None), Ok(None));
        assert_eq!(asked(Some("x"), None), Err(()));
        assert_eq!(asked(None, Some("x")), Err(()));
    }
}
