//! The `x-request-id` of every response: the client's own if it is valid, else a generated one.
//!
//! `tower-http` sets the header on the request and copies it to the response. Events show the headers that the client sent,
//! so the header is put back before a request becomes an event.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use http::{HeaderName, HeaderValue, Request, request::Parts};
use tower_http::request_id::{MakeRequestId, RequestId};

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// Generates ids that are unique in this process and, by their random prefix, across restarts.
#[derive(Clone)]
pub(crate) struct RequestIds {
    prefix: u64,
    next: Arc<AtomicU64>,
}

impl RequestIds {
    pub(crate) fn new(prefix: u64) -> Self {
        RequestIds {
            prefix,
            next: Arc::default(),
        }
    }
}

impl MakeRequestId for RequestIds {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = HeaderValue::try_from(format!("{:016x}-{number:x}", self.prefix));
        id.ok().map(RequestId::new)
    }
}

/// The client's header when it is absent or invalid, because it is replaced then.
#[derive(Clone)]
struct ClientHeader(Option<HeaderValue>);

/// Removes an invalid header, so that `SetRequestIdLayer` generates an id.
pub(crate) fn remove_invalid<B>(mut request: Request<B>) -> Request<B> {
    let header = request.headers().get(X_REQUEST_ID);
    if header.is_some_and(is_valid) {
        return request;
    }
    let removed = request.headers_mut().remove(X_REQUEST_ID);
    request.extensions_mut().insert(ClientHeader(removed));
    request
}

/// Gives the request the header that the client sent.
pub(crate) fn restore_client_header(parts: &mut Parts) {
    let Some(ClientHeader(original)) = parts.extensions.remove() else {
        return;
    };
    match original {
        Some(value) => parts.headers.insert(X_REQUEST_ID, value),
        None => parts.headers.remove(X_REQUEST_ID),
    };
}

fn is_valid(id: &HeaderValue) -> bool {
    (1..=MAX_LENGTH).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::Response;
    use tower::{ServiceBuilder, ServiceExt, service_fn};
    use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};

    use super::*;

    /// The id of the response, and the header that an event would show.
    async fn assigned(
        ids: &RequestIds,
        header: Option<&[u8]>,
    ) -> (HeaderValue, Option<HeaderValue>) {
        let handler = async |request: Request<()>| {
            let (mut parts, ()) = request.into_parts();
            restore_client_header(&mut parts);
            let restored = parts.headers.get(X_REQUEST_ID).cloned();
            Ok::<_, Infallible>(Response::new(restored))
        };
        let service = ServiceBuilder::new()
            .map_request(remove_invalid::<()>)
            .layer(SetRequestIdLayer::x_request_id(ids.clone()))
            .layer(PropagateRequestIdLayer::x_request_id())
            .service(service_fn(handler));
        let mut request = Request::new(());
        if let Some(header) = header {
            let value = HeaderValue::from_bytes(header).unwrap();
            request.headers_mut().insert(X_REQUEST_ID, value);
        }
        let response = service.oneshot(request).await.unwrap();
        (
            response.headers()[X_REQUEST_ID].clone(),
            response.into_body(),
        )
    }

    #[tokio::test]
    async fn a_valid_id_is_kept_and_any_other_replaced() {
        let ids = RequestIds::new(0xabc);
        let id = async |header: &[u8]| assigned(&ids, Some(header)).await.0;
        assert_eq!(id(b"my-id/1").await, "my-id/1");
        assert_eq!(id(&[b'x'; 128]).await.len(), 128);
        assert_eq!(id(b"").await, "0000000000000abc-0");
        assert_eq!(id(b"a b").await, "0000000000000abc-1");
        assert_eq!(id(b"\xff").await, "0000000000000abc-2");
        assert_eq!(id(&[b'x'; 129]).await, "0000000000000abc-3");
        assert_eq!(assigned(&ids, None).await.0, "0000000000000abc-4");
    }

    #[tokio::test]
    async fn an_event_shows_the_header_that_the_client_sent() {
        let ids = RequestIds::new(1);
        for header in [Some(&b"my-id"[..]), Some(b"a b"), Some(b""), None] {
            let (_, restored) = assigned(&ids, header).await;
            assert_eq!(restored.as_ref().map(HeaderValue::as_bytes), header);
        }
    }
}
