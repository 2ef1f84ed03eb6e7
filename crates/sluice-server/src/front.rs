//! The service that handles every request, to an endpoint or to the API.
//!
//! Each request gets an id and a span.

use std::{any::Any, net::IpAddr, panic::AssertUnwindSafe, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use http::{Method, Request, Uri, Version, header::HOST};
use rand::Rng;
use tracing::Instrument;

use crate::{
    api_service::ApiService,
    client_address::ClientAddresses,
    documentation,
    error::ApiError,
    ingress::{Address, Ingress},
    mcp::Mcp,
    mcp_path,
    request_id::{RequestIds, X_REQUEST_ID},
    request_span::{ENDPOINT_PATH, RequestSpan, Route},
    request_trace::RequestTrace,
    state::ServerState,
};

/// Counts requests without a route: to files of the console, and those that another node handles.
const OTHER_ROUTE: &str = "other";

pub(crate) struct Front {
    state: ServerState,
    request_ids: RequestIds,
    ingress: Ingress,
    api: ApiService,
    mcp: Mcp,
    client_addresses: ClientAddresses,
}

impl Front {
    pub(crate) fn new(state: &ServerState) -> Self {
        let api = ApiService::new(state);
        Front {
            state: state.clone(),
            request_ids: RequestIds::new(state.infra.ids.rng().next_u64()),
            ingress: Ingress::new(state.clone()),
            mcp: Mcp::new(state.clone(), api.clone()),
            api,
            client_addresses: ClientAddresses::new(&state.infra.settings.proxies),
        }
    }

    /// Responds to a request that came over a connection from `peer`, which may be a proxy.
    pub(crate) async fn respond_to_peer(&self, request: Request<Body>, peer: IpAddr) -> Response {
        let client_ip = self.client_addresses.client(peer, request.headers());
        self.respond(request, client_ip).await
    }

    /// Responds to a request of the client. A handler that panics gives an error.
    pub(crate) async fn respond(&self, mut request: Request<Body>, client_ip: IpAddr) -> Response {
        let request_id = self.request_ids.assign(request.headers());
        let method = request.method().clone();
        let address = self.ingress.address(&request);
        let is_endpoint = address.is_some();
        let span = RequestSpan::new(&method, &request_id, client_ip, is_endpoint);
        let trace = RequestTrace::begin(&self.state, &request, is_endpoint, client_ip);
        if let Some(context) = trace.context() {
            request.extensions_mut().insert(context.clone());
        }
        let handling = self.handle(request, address, client_ip, &span);
        // On the heap: a connection keeps the memory of the future in line, also while it streams or is idle.
        let handling = AssertUnwindSafe(Box::pin(handling)).catch_unwind();
        let handled = handling.instrument(span.current()).await;
        let mut response = handled.unwrap_or_else(|panic| span.in_scope(|| panicked(&*panic)));
        response.headers_mut().insert(X_REQUEST_ID, request_id);
        self.observe(trace, &method, is_endpoint, &response, span.elapsed());
        span.finish(response.status());
        response
    }

    /// Counts a response and records its span.
    fn observe(
        &self,
        trace: RequestTrace,
        method: &Method,
        is_endpoint: bool,
        response: &Response,
        elapsed: Duration,
    ) {
        let infra = &self.state.infra;
        let (metrics, status) = (&infra.metrics.requests, response.status());
        let route = if is_endpoint {
            metrics.count_endpoint(status.as_u16(), elapsed);
            ENDPOINT_PATH
        } else {
            let route = route_of(response);
            metrics.count_api(method.as_str(), route, status.as_u16(), elapsed);
            route
        };
        trace.end(infra, method, route, status, elapsed);
    }

    async fn handle(
        &self,
        request: Request<Body>,
        address: Option<Address>,
        client_ip: IpAddr,
        span: &RequestSpan,
    ) -> Response {
        if !names_its_host(&request) {
            let message = "an HTTP/1.1 request needs exactly one Host header";
            return ApiError::BadRequest(message.to_owned()).into_response();
        }
        let Some(address) = address else {
            return self.api(request, client_ip).await;
        };
        self.ingress.handle(request, address, client_ip, span).await
    }

    async fn api(&self, mut request: Request<Body>, client_ip: IpAddr) -> Response {
        strip_trailing_slash(request.uri_mut());
        if request.uri().path() == mcp_path::PATH {
            return self.mcp.respond(request, client_ip).await;
        }
        self.api.respond(request, client_ip).await
    }
}

fn route_of(response: &Response) -> &str {
    let route = response.extensions().get::<Route>();
    route.map_or(OTHER_ROUTE, Route::template)
}

/// Required by HTTP/1.1. Without it a proxy and this server may disagree about the recipient.
fn names_its_host<B>(request: &Request<B>) -> bool {
    let hosts = request.headers().get_all(HOST).iter().count();
    hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11
}

/// Every path means the same with and without a slash at its end. The documentation redirects: its scripts need the slash.
fn strip_trailing_slash(uri: &mut Uri) {
    if documentation::is_below(uri.path()) {
        return;
    }
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

fn panicked(panic: &(dyn Any + Send)) -> Response {
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
            ("/docs/", "/docs/"),
            ("/docs/cli/", "/docs/cli/"),
            ("*", "*"),
        ] {
            let mut uri: Uri = before.parse().unwrap();
            strip_trailing_slash(&mut uri);
            assert_eq!(uri, after, "{before}");
        }
    }

    #[test]
    fn only_an_older_client_may_leave_out_its_host() {
        let request = |version, hosts: &[&str]| {
            let mut request = Request::builder().version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            request.body(()).unwrap()
        };
        assert!(names_its_host(&request(Version::HTTP_11, &["a"])));
        assert!(names_its_host(&request(Version::HTTP_10, &[])));
        assert!(!names_its_host(&request(Version::HTTP_11, &[])));
        assert!(!names_its_host(&request(Version::HTTP_11, &["a", "b"])));
        assert!(!names_its_host(&request(Version::HTTP_10, &["a", "b"])));
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        for panic in [
            std::panic::catch_unwind(|| panic!("text")),
            std::panic::catch_unwind(|| panic!("{} text", 1)),
            std::panic::catch_unwind(|| std::panic::panic_any(1)),
        ] {
            assert_eq!(panicked(&*panic.unwrap_err()).status(), 500);
        }
    }
}
