//! The response of an endpoint: the id of the invocation at once, or the response of the component.
//!
//! A component may respond with anything. Headers that would break HTTP or belong to the connection are dropped.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, PROXY_AUTHENTICATE, TE, TRAILER,
        TRANSFER_ENCODING, UPGRADE,
    },
};
use sluice_app::HttpReply;
use sluice_engine::{accept::Acceptance, owner::NoReply};
use sluice_model::InvocationId;

use super::{
    address::Origin,
    confinement::{confine, sets_session},
};
use crate::{error::ApiError, request_id::X_REQUEST_ID};

/// Most clients accept fewer.
const MAX_HEADERS: usize = 1000;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(super) async fn answer(acceptance: Acceptance, origin: Origin) -> Result<Response, ApiError> {
    match acceptance {
        Acceptance::Stored(invocation) => Ok(stored(&invocation)),
        Acceptance::Waiting(_, reply) => match reply.wait().await {
            Ok(reply) => replied(reply, origin),
            Err(NoReply::EndedWithoutRespond(message)) => Err(ApiError::BadRequest(message)),
            Err(NoReply::TimedOut) => Err(ApiError::GatewayTimeout(
                "the component did not respond in time".to_owned(),
            )),
            Err(NoReply::Gone) => Err(ApiError::Unavailable(
                "the invocation ended before it responded".to_owned(),
            )),
        },
    }
}

fn stored(invocation: &InvocationId) -> Response {
    let body = format!("{{\"id\":\"{}\"}}", invocation.as_str());
    ([(CONTENT_TYPE, JSON)], body).into_response()
}

fn replied(reply: HttpReply, origin: Origin) -> Result<Response, ApiError> {
    let HttpReply {
        status,
        headers,
        body,
    } = reply;
    let status = StatusCode::from_u16(status)
        .ok()
        .filter(|status| !status.is_informational() && status.as_u16() < 600)
        .ok_or_else(|| {
            ApiError::BadGateway(format!("the component responded with the status {status}"))
        })?;
    if headers.len() > MAX_HEADERS {
        return Err(ApiError::BadGateway(format!(
            "the component responded with more than {MAX_HEADERS} headers"
        )));
    }
    let body = if may_have_body(status) {
        Body::from(body)
    } else {
        Body::empty()
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = allowed(headers);
    if origin == Origin::Shared {
        confine(response.headers_mut());
    }
    Ok(response)
}

fn may_have_body(status: StatusCode) -> bool {
    !matches!(
        status,
        StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
    )
}

fn allowed(headers: Vec<(String, String)>) -> HeaderMap {
    let mut allowed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
        else {
            continue;
        };
        if !is_reserved(&name) && !sets_session(&name, &value) {
            allowed.append(name, value);
        }
    }
    allowed
}

/// Headers of the connection, and the one that the server sets itself.
fn is_reserved(name: &HeaderName) -> bool {
    [
        CONNECTION,
        CONTENT_LENGTH,
        PROXY_AUTHENTICATE,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
        X_REQUEST_ID,
    ]
    .contains(name)
        || matches!(name.as_str(), "keep-alive" | "proxy-connection")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hyper::body::Body as _;
    use proptest::prelude::*;

    use super::*;

    fn reply(status: u16, headers: &[(&str, &str)]) -> Result<Response, ApiError> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let reply = HttpReply {
            status,
            headers: headers.iter().map(owned).collect(),
            body: Bytes::from_static(b"body"),
        };
        replied(reply, Origin::Own)
    }

    #[test]
    fn a_response_is_sent_unchanged() {
        let headers = [("X-A", "1"), ("set-cookie", "a=1"), ("Set-Cookie", "b=2")];
        let response = reply(418, &headers).unwrap();
        assert_eq!(response.status(), 418);
        assert_eq!(response.headers()["x-a"], "1");
        assert_eq!(response.headers().get_all("set-cookie").iter().count(), 2);
        assert_eq!(response.body().size_hint().exact(), Some(4));
    }

    #[test]
    fn hostile_headers_are_dropped() {
        let headers = [
            ("transfer-encoding", "chunked"),
            ("Content-Length", "9"),
            ("connection", "close"),
            ("keep-alive", "1"),
            ("x-request-id", "1"),
            ("bad name", "1"),
            ("", "1"),
            ("x-split", "a\r\nset-cookie: b"),
            ("x-nul", "\0"),
            ("set-cookie", "sluice_session_ab12=x; Path=/v1"),
            ("x-good", "ä"),
        ];
        let response = reply(200, &headers).unwrap();
        let names: Vec<_> = response.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x-good"]);
    }

    #[test]
    fn too_many_headers_are_an_error() {
        let headers = |count| vec![("x-a", "1"); count];
        assert!(reply(200, &headers(MAX_HEADERS)).is_ok());
        let refused = reply(200, &headers(40_000));
        assert!(matches!(refused, Err(ApiError::BadGateway(_))));
    }

    #[test]
    fn statuses_that_end_no_request_are_errors() {
        for status in [0, 99, 100, 101, 199, 600, 999, 1000] {
            assert!(
                matches!(reply(status, &[]), Err(ApiError::BadGateway(_))),
                "{status}"
            );
        }
        assert!(reply(204, &[]).unwrap().body().is_end_stream());
        assert!(reply(304, &[]).unwrap().body().is_end_stream());
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(headers in proptest::collection::vec((".*", ".*"), 0..10)) {
            allowed(headers);
        }
    }
}
