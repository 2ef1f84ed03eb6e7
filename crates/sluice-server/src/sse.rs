//! The wire format of server-sent events.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{
    HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use serde::Serialize;
use sluice_model::EventId;

/// The heartbeat of a stream. Clients of this API wait for the first one, and proxies see that the stream is alive.
pub(crate) const HANDSHAKE: Bytes = Bytes::from_static(b":sse-handshake\n\n");
/// The heartbeat of streams of workflows.
pub(crate) const KEEPALIVE: Bytes = Bytes::from_static(b":keepalive\n\n");
/// The reconnection time of clients, in milliseconds.
pub(crate) const RETRY: Bytes = Bytes::from_static(b"retry: 1000\n\n");

/// Marks a response without an end, so that shutdown does not wait for it.
#[derive(Clone)]
pub(crate) struct Endless;

/// A message of the default type.
pub(crate) fn message(id: EventId, data: &impl Serialize) -> serde_json::Result<Bytes> {
    framed("", id, data)
}

/// A message of a named type.
pub(crate) fn named_message(
    name: &str,
    id: EventId,
    data: &impl Serialize,
) -> serde_json::Result<Bytes> {
    framed(&name_line(name), id, data)
}

/// A message of a named type without an id, so that clients cannot resume after it.
pub(crate) fn transient_message(name: &str, data: &impl Serialize) -> serde_json::Result<Bytes> {
    let data = serde_json::to_string(data)?;
    Ok(format!("{}data: {data}\n\n", name_line(name)).into())
}

/// The first line of all messages of that name.
pub(crate) fn name_line(name: &str) -> String {
    format!("event: {}\n", name.replace(['\n', '\r'], " "))
}

fn framed(head: &str, id: EventId, data: &impl Serialize) -> serde_json::Result<Bytes> {
    let mut frame = format!("{head}id: {id}\ndata: ").into_bytes();
    let start = frame.len();
    serde_json::to_writer(&mut frame, data)?;
    // JSON escapes line breaks in strings. Between values they are insignificant, and would end the line.
    for byte in &mut frame[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    frame.extend_from_slice(b"\n\n");
    Ok(frame.into())
}

/// A comment, which clients ignore; `text` is one line.
pub(crate) fn comment(text: &str) -> Bytes {
    format!(": {text}\n\n").into()
}

/// The response that carries a stream.
pub(crate) fn response(frames: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        // Asks proxies not to buffer the stream.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    let mut response = (headers, frames).into_response();
    response.extensions_mut().insert(Endless);
    response
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn a_message_has_its_id_and_one_line_of_data() {
        let id = EventId { ms: 12, seq: 3 };
        let spread = "{\r\n \"a\":\n\"x\\ny\"}".to_owned();
        let data = RawValue::from_string(spread).unwrap();
        assert_eq!(
            message(id, &data).unwrap(),
            "id: 12-3\ndata: {   \"a\": \"x\\ny\"}\n\n"
        );
    }

    #[test]
    fn a_name_has_a_line_of_its_own_and_no_more() {
        let id = EventId { ms: 12, seq: 3 };
        assert_eq!(
            named_message("a\r\ndata: b", id, &1).unwrap(),
            "event: a  data: b\nid: 12-3\ndata: 1\n\n"
        );
    }

    #[test]
    fn a_transient_message_has_a_name_and_no_id() {
        let frame = transient_message("traffic", &serde_json::json!({ "a": "x\ny" })).unwrap();
        assert_eq!(frame, "event: traffic\ndata: {\"a\":\"x\\ny\"}\n\n");
    }

    #[test]
    fn comments_begin_with_a_colon() {
        assert_eq!(comment("over"), ": over\n\n");
    }
}
