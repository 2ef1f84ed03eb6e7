//! The method and the start of a stream, from its request.

use http::{HeaderMap, Method};
use sluice_model::EventId;

use crate::error::ApiError;

const LAST_EVENT_ID: &str = "last-event-id";

/// The router sends HEAD to handlers of GET, but a stream has no useful head.
pub(super) fn get_only(method: &Method) -> Result<(), ApiError> {
    if method == Method::GET {
        Ok(())
    } else {
        Err(ApiError::MethodNotAllowed)
    }
}

/// The id after which the stream continues. The header takes precedence, because a client that reconnects sends it to its first
/// address.
pub(super) fn last_event_id(
    headers: &HeaderMap,
    query: Option<&str>,
) -> Result<Option<EventId>, ApiError> {
    let invalid = || ApiError::bad_request("Last-Event-ID is not an event id");
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str());
    let header = header.transpose().map_err(|_| invalid())?;
    match header.or(query) {
        None | Some("") => Ok(None),
        Some(text) => EventId::parse(text).map(Some).ok_or_else(invalid),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn parsed(header: Option<&'static str>, query: Option<&str>) -> Result<Option<EventId>, ()> {
        let mut headers = HeaderMap::new();
        if let Some(value) = header {
            headers.insert(LAST_EVENT_ID, HeaderValue::from_static(value));
        }
        last_event_id(&headers, query).map_err(drop)
    }

    #[test]
    fn the_header_takes_precedence_over_the_query() {
        let id = |ms, seq| Ok(Some(EventId { ms, seq }));
        assert_eq!(parsed(None, None), Ok(None));
        assert_eq!(parsed(Some("5-1"), None), id(5, 1));
        assert_eq!(parsed(None, Some("6-1")), id(6, 1));
        assert_eq!(parsed(Some("5-1"), Some("6-1")), id(5, 1));
        assert_eq!(parsed(Some(""), None), Ok(None));
        assert_eq!(parsed(Some("x"), None), Err(()));
        assert_eq!(parsed(None, Some("x")), Err(()));
    }
}
