//! The service that handles every request, to an endpoint or to the API.
//!
//! Its layers give each request an id and a span, and answer with an error when a handler panics.

use std::{any::Any, convert::Infallible, net::IpAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use http::{Request, Uri};
use rand::{Rng, rngs::StdRng};
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
use tower_http::{
    catch_panic::CatchPanicLayer,
    request_id::{PropagateRequestIdLayer, SetRequestIdLayer},
};

use crate::{
    error::ApiError,
    ingress::Ingress,
    request_id::{self, RequestIds},
    request_span, router,
    state::ServerState,
};

/// The template of all addresses of endpoints, in the form that every server has.
const ENDPOINT_PATH: &str = "/e/{key}";

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

    /// The service for the connections of one client.
    pub(crate) fn service(
        self: Arc<Self>,
        client_ip: IpAddr,
    ) -> impl Service<
        Request<Body>,
        Response = Response,
        Error = Infallible,
        Future: Future<Output = Result<Response, Infallible>> + Send,
    > + Clone
    + Send
    + Sync {
        ServiceBuilder::new()
            .map_response(|response: http::Response<_>| response.map(Body::new))
            .map_request(request_id::remove_invalid)
            .layer(SetRequestIdLayer::x_request_id(self.request_ids.clone()))
            .layer(PropagateRequestIdLayer::x_request_id())
            .layer(request_span::layer())
            .layer(CatchPanicLayer::custom(panicked))
            .service(service_fn(move |request| {
                let front = Arc::clone(&self);
                async move { Ok(front.handle(request, client_ip).await) }
            }))
    }

    async fn handle(&self, request: Request<Body>, client_ip: IpAddr) -> Response {
        let Some(address) = self.ingress.address(&request) else {
            return self.api(request).await;
        };
        request_span::record_path(ENDPOINT_PATH);
        self.ingress.handle(request, address, client_ip).await
    }

    async fn api(&self, mut request: Request<Body>) -> Response {
        strip_trailing_slash(request.uri_mut());
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(infallible) => match infallible {},
        };
        let status = response.status().as_u16();
        self.state.infra.metrics.count_api_request(status);
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
    // Routing does not use the authority of the target, so it may be dropped.
    if let Ok(shorter) = Uri::try_from(path_and_query) {
        *uri = shorter;
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature of a panic handler"
)]
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ApiError::internal("the handler panicked", message).into_response()
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

    #[test]
    fn a_panic_is_an_internal_error() {
        for panic in [
            std::panic::catch_unwind(|| panic!("text")),
            std::panic::catch_unwind(|| panic!("{} text", 1)),
            std::panic::catch_unwind(|| std::panic::panic_any(1)),
        ] {
            assert_eq!(panicked(panic.unwrap_err()).status(), 500);
        }
    }
}
