//! Where every request comes in: it gets an id, goes to an endpoint or to the API, and panics end here.
//!
//! Whatever happens, the response has an `x-request-id`. Requests to endpoints take the shortest way: no routing, no span.

use std::{any::Any, net::IpAddr, panic::AssertUnwindSafe};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use http::{
    HeaderValue, Request, Uri,
    header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
};
use rand::{Rng, rngs::StdRng};
use tower::ServiceExt;
use tracing::Instrument;

use crate::{
    error::ApiError,
    ingress::Ingress,
    request_id::{RequestIds, X_REQUEST_ID},
    router,
    state::ServerState,
};

pub(crate) struct Front {
    state: ServerState,
    request_ids: RequestIds,
    ingress: Ingress,
    router: Router,
}

impl Front {
    /// `rng` must be unpredictable: the addresses of uploads come from it.
    pub(crate) fn new(state: ServerState, mut rng: StdRng) -> Self {
        Front {
            request_ids: RequestIds::new(rng.next_u64()),
            ingress: Ingress::new(state.clone(), rng),
            router: router::router(state.clone()),
            state,
        }
    }

    pub(crate) async fn handle(&self, request: Request<Body>, client_ip: IpAddr) -> Response {
        let request_id = self.request_ids.assign(request.headers());
        let answering = AssertUnwindSafe(self.dispatch(request, client_ip, &request_id));
        let mut response = match answering.catch_unwind().await {
            Ok(response) => response,
            Err(panic) => panicked(panic.as_ref()),
        };
        response.headers_mut().insert(X_REQUEST_ID, request_id);
        response
    }

    async fn dispatch(
        &self,
        request: Request<Body>,
        client_ip: IpAddr,
        request_id: &HeaderValue,
    ) -> Response {
        if let Some(address) = self.ingress.address(&request) {
            return self.ingress.handle(request, address, client_ip).await;
        }
        let request_id = request_id.to_str().unwrap_or_default();
        let span = tracing::info_span!("api", request_id);
        self.api(request).instrument(span).await
    }

    async fn api(&self, mut request: Request<Body>) -> Response {
        strip_trailing_slash(request.uri_mut());
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let mut response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(infallible) => match infallible {},
        };
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        // What is one person's, and may be a secret, stays in no cache; files of the console say what they allow.
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        let status = response.status().as_u16();
        self.state.infra.metrics.count_api_request(status);
        tracing::debug!("{method} {path} answered {status}");
        response
    }
}

/// Every path means the same with and without a slash at its end.
fn strip_trailing_slash(uri: &mut Uri) {
    let stripped = uri.path().trim_end_matches('/');
    if stripped.len() == uri.path().len() || stripped.is_empty() {
        return;
    }
    let path_and_query = match uri.query() {
        Some(query) => format!("{stripped}?{query}"),
        None => stripped.to_owned(),
    };
    // The authority of a request's target, if it has one, plays no part in routing.
    if let Ok(shorter) = Uri::try_from(path_and_query) {
        *uri = shorter;
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ApiError::Internal(format!("a handler panicked: {message}")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_slashes_go_and_the_query_stays() {
        for (before, after) in [
            ("/v1/sources/", "/v1/sources"),
            ("/v1/sources/?a=b/", "/v1/sources?a=b/"),
            ("/v1/sources//", "/v1/sources"),
            ("/v1/sources", "/v1/sources"),
            ("/", "/"),
            ("//", "//"),
            ("*", "*"),
        ] {
            let mut uri: Uri = before.parse().unwrap();
            strip_trailing_slash(&mut uri);
            assert_eq!(uri, after, "{before}");
        }
    }
}
